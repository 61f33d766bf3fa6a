package io.convoke.chaos.presence;

import io.convoke.chaos.history.ActualVisit;
import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.webhook.DeliveryAttempt;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts the platform's own record for the rules. Pure. */
final class PresenceObservations {
  /**
   * An event accepted this shortly before Redis lost its data may be lost before a worker stored
   * it; then only the poll finds the change.
   */
  private static final Duration UNWRITTEN = Duration.ofSeconds(5);

  private PresenceObservations() {}

  /**
   * Every visit; an event counts as delivered if it was answered 200 and there was time to store
   * it.
   */
  static List<ActualVisit> visits(SimulationTruth truth, List<Instant> forgetting) {
    Map<String, Instant> delivered = new HashMap<>();
    Map<String, String> names = new HashMap<>();
    for (WebhookDelivery delivery : truth.webhooks()) {
      Optional<Instant> kept =
          delivery.attempts().stream()
              .filter(DeliveryAttempt::succeeded)
              .filter(attempt -> forgetting.stream().noneMatch(at -> lostWith(at, attempt)))
              .map(DeliveryAttempt::at)
              .min(Comparator.naturalOrder());
      Optional<String> session = delivery.envelope().sessionId();
      if (kept.isPresent() && session.isPresent()) {
        String name = delivery.envelope().type() + " " + session.get();
        delivered.merge(name, kept.get(), (one, other) -> one.isBefore(other) ? one : other);
        boolean join = delivery.envelope().type().equals("participant.joined");
        if (join && delivery.envelope().payload().get("user_name") instanceof String told) {
          names.put(session.get(), told);
        }
      }
    }
    return truth.sessions().stream()
        .map(
            roomSession ->
                new ActualVisit(
                    roomSession.room(),
                    roomSession.sessionId(),
                    roomSession.joinedAt(),
                    roomSession.leftAt(),
                    delivered.containsKey("participant.joined " + roomSession.sessionId()),
                    delivered.containsKey("participant.left " + roomSession.sessionId()),
                    Optional.ofNullable(
                        delivered.get("participant.joined " + roomSession.sessionId())),
                    Optional.ofNullable(
                        delivered.get("participant.left " + roomSession.sessionId())),
                    roomSession.visitor().userId(),
                    roomSession.visitor().userName(),
                    Optional.ofNullable(names.get(roomSession.sessionId()))))
        .toList();
  }

  private static boolean lostWith(Instant forgot, DeliveryAttempt attempt) {
    return attempt.at().isAfter(forgot.minus(UNWRITTEN))
        && attempt.at().isBefore(forgot.plusSeconds(1));
  }
}
