package io.convoke.lab.sim.webhook;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A registered webhook.
 *
 * @param hmac the signing key, base64
 * @param basicAuth what goes behind {@code Authorization: Basic}
 * @param eventTypes the types it wants; empty for all
 */
public record Endpoint(
    String uuid,
    URI url,
    String hmac,
    Optional<String> basicAuth,
    RetryType retryType,
    Set<String> eventTypes,
    State state,
    int failedCount,
    Optional<Instant> lastMomentPushed,
    Instant createdAt,
    Instant updatedAt) {

  /** Whether deliveries flow. */
  public enum State {
    ACTIVE,
    FAILED
  }

  boolean wants(String type) {
    return eventTypes.isEmpty() || eventTypes.contains(type);
  }

  Endpoint delivered(Instant now) {
    return with(State.ACTIVE, 0, Optional.of(now), updatedAt);
  }

  /** One more failure; the third in a row opens the breaker, if there is one. */
  Endpoint failed(Instant now) {
    int count = failedCount + 1;
    boolean opens = retryType == RetryType.CIRCUIT_BREAKER && count >= 3;
    return with(opens ? State.FAILED : state, count, Optional.of(now), opens ? now : updatedAt);
  }

  private Endpoint with(State next, int failures, Optional<Instant> pushed, Instant updated) {
    return new Endpoint(
        uuid,
        url,
        hmac,
        basicAuth,
        retryType,
        eventTypes,
        next,
        failures,
        pushed,
        createdAt,
        updated);
  }
}
