package io.convoke.chaos.presence;

import io.convoke.chaos.history.ActualVisit;
import io.convoke.chaos.history.ObservedCall;
import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.webhook.DeliveryAttempt;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
  static List<ActualVisit> visits(SimulationTruth simulationTruth, List<Instant> forgetting) {
    Set<String> delivered = new HashSet<>();
    for (WebhookDelivery webhookDelivery : simulationTruth.webhooks()) {
      boolean kept =
          webhookDelivery.attempts().stream()
              .filter(DeliveryAttempt::succeeded)
              .anyMatch(
                  deliveryAttempt ->
                      forgetting.stream().noneMatch(at -> lostWith(at, deliveryAttempt)));
      if (kept) {
        webhookDelivery
            .envelope()
            .sessionId()
            .ifPresent(session -> delivered.add(webhookDelivery.envelope().type() + " " + session));
      }
    }
    return simulationTruth.sessions().stream()
        .map(
            roomSession ->
                new ActualVisit(
                    roomSession.room(),
                    roomSession.sessionId(),
                    roomSession.joinedAt(),
                    roomSession.leftAt(),
                    delivered.contains("participant.joined " + roomSession.sessionId()),
                    delivered.contains("participant.left " + roomSession.sessionId())))
        .toList();
  }

  /** Every attempt to deliver an event. */
  static List<ObservedCall> calls(SimulationTruth simulationTruth) {
    return simulationTruth.webhooks().stream()
        .flatMap(
            webhookDelivery ->
                webhookDelivery.attempts().stream()
                    .map(
                        deliveryAttempt ->
                            new ObservedCall(
                                deliveryAttempt.at(),
                                webhookDelivery.envelope().type()
                                    + " "
                                    + webhookDelivery.envelope().label(),
                                deliveryAttempt.status())))
        .toList();
  }

  private static boolean lostWith(Instant forgot, DeliveryAttempt deliveryAttempt) {
    return deliveryAttempt.at().isAfter(forgot.minus(UNWRITTEN))
        && deliveryAttempt.at().isBefore(forgot.plusSeconds(1));
  }
}
