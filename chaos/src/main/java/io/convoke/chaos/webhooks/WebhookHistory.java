package io.convoke.chaos.webhooks;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Everything that was observed in a run, and what must hold of it.
 *
 * @param accepted meetings of users that a server accepted
 * @param journal events of users' meetings in the database, by sequence
 * @param deliveries at the endpoints, in the order of their arrival
 * @param pauses the times in which an endpoint answered 410 and was not resumed
 */
public record WebhookHistory(
    Set<Long> accepted,
    List<JournaledEvent> journal,
    List<Delivery> deliveries,
    List<PausedEndpoint> pauses,
    AvailabilityRule.Calls calls) {
  /** The first two pauses between tries with their jitter of a tenth, and a slow machine. */
  private static final List<Duration> RETRIES =
      List.of(Duration.ofMillis(5500), Duration.ofSeconds(33));

  private static final Duration SLACK = Duration.ofSeconds(6);

  /** From a delivery until a server has stored it. */
  private static final Duration STORED = Duration.ofSeconds(1);

  private static final List<Rule<WebhookHistory>> RULES =
      List.of(
          Rule.named("DeliveryRule", WebhookHistory::lost),
          Rule.named("DeliveryRule", WebhookHistory::wrong),
          Rule.named("DeliveryOrderRule", WebhookHistory::disordered),
          Rule.named("RepeatedDeliveryRule", WebhookHistory::repeated),
          Rule.named("DeliveryRetryRule", WebhookHistory::late),
          Rule.shared(new AvailabilityRule(), WebhookHistory::calls));

  /** An event of a meeting; {@code user} counts from 0. */
  public record JournaledEvent(long seq, int user, long meeting) {}

  /** An attempt; {@code signed} by the secret of that endpoint, {@code status} 0 for no answer. */
  public record Delivery(
      int user, long seq, String messageId, boolean signed, int status, Instant at) {
    boolean taken() {
      return status == 200;
    }
  }

  /** An endpoint that was paused. */
  public record PausedEndpoint(int user, Instant from, Instant to) {}

  /** All violations; empty for a correct history. */
  List<RuleViolation> check() {
    return Rule.check(RULES, this);
  }

  /** Events that did not arrive. */
  List<JournaledEvent> missing() {
    Set<List<Long>> taken =
        deliveries.stream()
            .filter(Delivery::taken)
            .map(it -> List.of((long) it.user(), it.seq()))
            .collect(Collectors.toSet());
    return journal.stream()
        .filter(event -> !taken.contains(List.of((long) event.user(), event.seq())))
        .toList();
  }

  private List<RuleViolation> lost() {
    Set<Long> written = journal.stream().map(JournaledEvent::meeting).collect(Collectors.toSet());
    List<RuleViolation> lost = new ArrayList<>();
    accepted.stream()
        .filter(meeting -> !written.contains(meeting))
        .forEach(meeting -> lost.add(ViolationKind.LOST.found("no event of " + meeting)));
    missing().forEach(event -> lost.add(ViolationKind.LOST.found("no delivery of " + event)));
    return lost;
  }

  private List<RuleViolation> wrong() {
    Map<Long, Integer> owners =
        journal.stream().collect(Collectors.toMap(JournaledEvent::seq, JournaledEvent::user));
    Map<Long, Set<String>> ids = new TreeMap<>();
    deliveries.forEach(
        it -> ids.computeIfAbsent(it.seq(), _ -> new TreeSet<>()).add(it.messageId()));
    return deliveries.stream()
        .filter(
            it ->
                owners.getOrDefault(it.seq(), it.user()) != it.user()
                    || !it.signed()
                    || ids.getOrDefault(it.seq(), Set.of()).size() > 1)
        .map(it -> ViolationKind.INVENTED.found("another's, unsigned or renamed: " + it))
        .toList();
  }

  /** Of the events of one meeting an earlier one arrives first. */
  private List<RuleViolation> disordered() {
    Map<Long, Long> meetings =
        journal.stream().collect(Collectors.toMap(JournaledEvent::seq, JournaledEvent::meeting));
    Map<Long, Long> last = new HashMap<>();
    Set<Long> arrived = new HashSet<>();
    List<RuleViolation> found = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      Long meeting = meetings.get(delivery.seq());
      if (meeting != null && delivery.taken() && arrived.add(delivery.seq())) {
        long before = last.merge(meeting, delivery.seq(), Math::max);
        if (before > delivery.seq()) {
          found.add(
              ViolationKind.SEQUENCE.found(
                  "event %d of meeting %d arrived after %d", delivery.seq(), meeting, before));
        }
      }
    }
    return found;
  }

  /** What was taken is sent again only if a fault kept a server from storing that. */
  private List<RuleViolation> repeated() {
    Map<Long, Delivery> taken = new HashMap<>();
    List<RuleViolation> found = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      Delivery before = taken.get(delivery.seq());
      if (before != null && !faulted(before.at(), before.at().plus(STORED))) {
        found.add(ViolationKind.DUPLICATED.found(delivery + " was taken before: " + before));
      }
      if (delivery.taken()) {
        taken.put(delivery.seq(), delivery);
      }
    }
    return found;
  }

  /** A failed delivery is tried again after its pause. */
  private List<RuleViolation> late() {
    Map<Long, List<Delivery>> tries = new TreeMap<>();
    deliveries.forEach(it -> tries.computeIfAbsent(it.seq(), _ -> new ArrayList<>()).add(it));
    List<RuleViolation> found = new ArrayList<>();
    for (List<Delivery> each : tries.values()) {
      for (int i = 1; i < Math.min(each.size(), RETRIES.size() + 1); i++) {
        Delivery failed = each.get(i - 1);
        Instant due = failed.at().plus(RETRIES.get(i - 1)).plus(SLACK);
        Instant at = each.get(i).at();
        if (!failed.taken() && at.isAfter(due) && !faulted(failed.at(), due) && !paused(failed)) {
          found.add(
              ViolationKind.LATE.found(
                  "%s was tried again %d ms later",
                  failed, Duration.between(failed.at(), at).toMillis()));
        }
      }
    }
    return found;
  }

  private boolean faulted(Instant from, Instant to) {
    return calls.windows().stream().anyMatch((FaultWindow window) -> window.touches(from, to));
  }

  private boolean paused(Delivery failed) {
    return pauses.stream()
        .anyMatch(
            pause -> pause.user() == failed.user() && pause.to().plus(SLACK).isAfter(failed.at()));
  }
}
