package io.convoke.simulator.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One try to deliver one copy of an event.
 *
 * @param status the answer's status; absent if there was no answer
 * @param error why there was none
 */
public record DeliveryAttempt(
    Instant at, Optional<Integer> status, Optional<String> error, Duration took) {

  /** Only 200 counts, and only in time. */
  public boolean succeeded() {
    return status.equals(Optional.of(200));
  }
}
