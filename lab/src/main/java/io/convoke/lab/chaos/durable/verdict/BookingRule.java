package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.durable.flow.Errand;
import io.convoke.lab.chaos.durable.flow.Flow;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Each errand has booked its amount exactly once, under the key of an activity that its history
 * ordered, and the sums that the bookings have added up are the flows'.
 */
final class BookingRule implements FlowRule {
  @Override
  public List<Finding> check(FlowHistory history) {
    List<Finding> findings = new ArrayList<>();
    Set<String> ordered =
        history.events().stream()
            .filter(EventRow::activity)
            .map(event -> event.key(event.id()))
            .collect(Collectors.toSet());
    Map<String, List<Booking>> bookings =
        history.bookings().stream()
            .collect(Collectors.groupingBy(booking -> booking.flow() + " " + booking.number()));
    Set<String> wanted = new HashSet<>();
    for (Flow flow : history.flows()) {
      for (Errand errand : flow.errands()) {
        String name = flow.id() + " " + errand.number();
        boolean _ = wanted.add(name);
        count(name, errand, bookings.getOrDefault(name, List.of()), findings);
      }
      long booked = history.booked().getOrDefault(flow.id(), 0L);
      if (booked != flow.booked()) {
        findings.add(
            new Finding(
                Kind.COUNT,
                "%s has booked %d instead of %d".formatted(flow.text(), booked, flow.booked())));
      }
    }
    for (Booking booking : history.bookings()) {
      if (!wanted.contains(booking.flow() + " " + booking.number())
          || !ordered.contains(booking.key())) {
        findings.add(new Finding(Kind.INVENTED, booking + " was not ordered"));
      }
    }
    return findings;
  }

  private static void count(
      String name, Errand errand, List<Booking> bookings, List<Finding> findings) {
    if (bookings.size() != 1) {
      findings.add(
          new Finding(
              bookings.isEmpty() ? Kind.LOST : Kind.DUPLICATED,
              "errand %s is booked %d times: %s"
                  .formatted(name, bookings.size(), bookings.stream().map(Booking::key).toList())));
    } else if (bookings.getFirst().amount() != errand.amount()) {
      findings.add(
          new Finding(
              Kind.ILLEGAL,
              "errand %s has booked %d instead of %d"
                  .formatted(name, bookings.getFirst().amount(), errand.amount())));
    }
  }
}
