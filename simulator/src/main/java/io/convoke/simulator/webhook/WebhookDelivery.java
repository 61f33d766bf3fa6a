package io.convoke.simulator.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The deliveries of one event.
 *
 * @param delay the delay that a fault added
 * @param reordered whether a fault held it behind the room's next event
 * @param copies how many times it is sent, 1 unless a fault repeats it
 * @param open copies whose delivery has not ended
 */
public record WebhookDelivery(
    WebhookEvent envelope,
    DeliveryEnd end,
    Duration delay,
    boolean reordered,
    int copies,
    int open,
    List<DeliveryAttempt> attempts) {

  /** How it ended. */
  public enum DeliveryEnd {
    /** Still to be sent, or to be tried again. */
    PENDING,
    /** At least one copy was answered 200. */
    DELIVERED,
    /** Every try of every copy failed. */
    FAILED,
    /** A fault swallowed it. */
    DROPPED,
    /** No webhook was registered, or not for this type. */
    UNWANTED,
    /** The circuit breaker was open. */
    SUPPRESSED
  }

  static WebhookDelivery pending(
      WebhookEvent webhookEvent, Duration delay, boolean reordered, int copies) {
    return new WebhookDelivery(
        webhookEvent, DeliveryEnd.PENDING, delay, reordered, copies, copies, List.of());
  }

  static WebhookDelivery dropped(WebhookEvent webhookEvent) {
    return new WebhookDelivery(
        webhookEvent, DeliveryEnd.DROPPED, Duration.ZERO, false, 0, 0, List.of());
  }

  public boolean settled() {
    return end != DeliveryEnd.PENDING;
  }

  WebhookDelivery attempted(DeliveryAttempt deliveryAttempt) {
    List<DeliveryAttempt> more = new ArrayList<>(attempts);
    more.add(deliveryAttempt);
    return new WebhookDelivery(envelope, end, delay, reordered, copies, open, List.copyOf(more));
  }

  /** Records the end of one copy; the last one ends the delivery. */
  WebhookDelivery copyEnded(DeliveryEnd how) {
    int left = open - 1;
    boolean arrived = attempts.stream().anyMatch(DeliveryAttempt::succeeded);
    DeliveryEnd end = left > 0 ? DeliveryEnd.PENDING : arrived ? DeliveryEnd.DELIVERED : how;
    return new WebhookDelivery(envelope, end, delay, reordered, copies, left, attempts);
  }
}
