package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Each activity booked its amount exactly once, under the key of an activity scheduled in its
 * history, and the bookings add up to the flows' sums.
 */
final class TransactionalEffectRule implements Rule<FlowHistory> {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<String> ordered =
        history.events().stream()
            .filter(EventRow::activity)
            .map(event -> event.key(event.id()))
            .collect(Collectors.toSet());
    Map<String, List<EffectRow>> bookings =
        history.bookings().stream()
            .collect(
                Collectors.groupingBy(effectRow -> effectRow.flow() + " " + effectRow.number()));
    Set<String> wanted = new HashSet<>();
    for (TestFlow testFlow : history.flows()) {
      for (TestActivity testActivity : testFlow.activities()) {
        String name = testFlow.id() + " " + testActivity.number();
        boolean _ = wanted.add(name);
        count(name, testActivity, bookings.getOrDefault(name, List.of()), findings);
      }
      long booked = history.booked().getOrDefault(testFlow.id(), 0L);
      if (booked != testFlow.booked()) {
        findings.add(
            ViolationKind.COUNT.found(
                "%s has %d effects instead of %d", testFlow.text(), booked, testFlow.booked()));
      }
    }
    for (EffectRow effectRow : history.bookings()) {
      if (!wanted.contains(effectRow.flow() + " " + effectRow.number())
          || !ordered.contains(effectRow.key())) {
        findings.add(ViolationKind.INVENTED.found(effectRow + " was not scheduled"));
      }
    }
    return findings;
  }

  private static void count(
      String name,
      TestActivity testActivity,
      List<EffectRow> bookings,
      List<RuleViolation> findings) {
    if (bookings.size() != 1) {
      findings.add(
          (bookings.isEmpty() ? ViolationKind.LOST : ViolationKind.DUPLICATED)
              .found(
                  "activity %s has %d effect rows: %s",
                  name, bookings.size(), bookings.stream().map(EffectRow::key).toList()));
    } else if (bookings.getFirst().amount() != testActivity.amount()) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "activity %s has %d effects instead of %d",
              name, bookings.getFirst().amount(), testActivity.amount()));
    }
  }
}
