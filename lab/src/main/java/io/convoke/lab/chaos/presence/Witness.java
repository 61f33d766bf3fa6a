package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.history.Call;
import io.convoke.lab.chaos.history.Visit;
import io.convoke.lab.sim.control.Truth;
import io.convoke.lab.sim.webhook.Attempt;
import io.convoke.lab.sim.webhook.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The platform's own record as the rules see it. Pure. */
final class Witness {
  /**
   * What was accepted this shortly before Redis forgot may have been forgotten before a worker
   * wrote it down: the poll alone must find it then.
   */
  private static final Duration UNWRITTEN = Duration.ofSeconds(5);

  private Witness() {}

  /** Every visit; an event counts as told when it was answered 200 and had time to be written. */
  static List<Visit> visits(Truth truth, List<Instant> forgetting) {
    Set<String> told = new HashSet<>();
    for (Delivery delivery : truth.webhooks()) {
      boolean kept =
          delivery.attempts().stream()
              .filter(Attempt::succeeded)
              .anyMatch(attempt -> forgetting.stream().noneMatch(at -> lostWith(at, attempt)));
      if (kept) {
        delivery
            .envelope()
            .sessionId()
            .ifPresent(session -> told.add(delivery.envelope().type() + " " + session));
      }
    }
    return truth.sessions().stream()
        .map(
            session ->
                new Visit(
                    session.room(),
                    session.sessionId(),
                    session.joinedAt(),
                    session.leftAt(),
                    told.contains("participant.joined " + session.sessionId()),
                    told.contains("participant.left " + session.sessionId())))
        .toList();
  }

  /** Every try to deliver an event. */
  static List<Call> calls(Truth truth) {
    return truth.webhooks().stream()
        .flatMap(
            delivery ->
                delivery.attempts().stream()
                    .map(
                        attempt ->
                            new Call(
                                attempt.at(),
                                delivery.envelope().type() + " " + delivery.envelope().label(),
                                attempt.status())))
        .toList();
  }

  private static boolean lostWith(Instant forgot, Attempt attempt) {
    return attempt.at().isAfter(forgot.minus(UNWRITTEN))
        && attempt.at().isBefore(forgot.plusSeconds(1));
  }
}
