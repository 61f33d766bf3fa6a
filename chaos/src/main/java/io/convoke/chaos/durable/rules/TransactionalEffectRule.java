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
            .collect(Collectors.groupingBy(effect -> effect.flow() + " " + effect.number()));
    Set<String> wanted = new HashSet<>();
    for (TestFlow flow : history.flows()) {
      for (TestActivity activity : flow.activities()) {
        String name = flow.id() + " " + activity.number();
        boolean _ = wanted.add(name);
        count(name, activity, bookings.getOrDefault(name, List.of()), findings);
      }
      long booked = history.booked().getOrDefault(flow.id(), 0L);
      if (booked != flow.booked()) {
        findings.add(
            ViolationKind.COUNT.found(
                "%s has %d effects instead of %d", flow.text(), booked, flow.booked()));
      }
    }
    for (EffectRow effect : history.bookings()) {
      if (!wanted.contains(effect.flow() + " " + effect.number())
          || !ordered.contains(effect.key())) {
        findings.add(ViolationKind.INVENTED.found(effect + " was not scheduled"));
      }
    }
    return findings;
  }

  private static void count(
      String name, TestActivity activity, List<EffectRow> bookings, List<RuleViolation> findings) {
    if (bookings.size() != 1) {
      findings.add(
          (bookings.isEmpty() ? ViolationKind.LOST : ViolationKind.DUPLICATED)
              .found(
                  "activity %s has %d effect rows: %s",
                  name, bookings.size(), bookings.stream().map(EffectRow::key).toList()));
    } else if (bookings.getFirst().amount() != activity.amount()) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "activity %s has %d effects instead of %d",
              name, bookings.getFirst().amount(), activity.amount()));
    }
  }
}
