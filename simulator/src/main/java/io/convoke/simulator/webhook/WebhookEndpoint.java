package io.convoke.simulator.webhook;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A registered webhook.
 *
 * @param hmac the signing key, base64
 * @param basicAuth the value behind {@code Authorization: Basic}
 * @param eventTypes the subscribed types; empty for all
 */
public record WebhookEndpoint(
    String uuid,
    URI url,
    String hmac,
    Optional<String> basicAuth,
    WebhookRetryType retryType,
    Set<String> eventTypes,
    WebhookEndpointState state,
    int failedCount,
    Optional<Instant> lastMomentPushed,
    Instant createdAt,
    Instant updatedAt) {

  /** Whether deliveries flow. */
  public enum WebhookEndpointState {
    ACTIVE,
    FAILED
  }

  boolean wants(String type) {
    return eventTypes.isEmpty() || eventTypes.contains(type);
  }

  WebhookEndpoint delivered(Instant now) {
    return with(WebhookEndpointState.ACTIVE, 0, Optional.of(now), updatedAt);
  }

  /** One more failure; the third in a row opens the breaker, if there is one. */
  WebhookEndpoint failed(Instant now) {
    int count = failedCount + 1;
    boolean opens = retryType == WebhookRetryType.CIRCUIT_BREAKER && count >= 3;
    return with(
        opens ? WebhookEndpointState.FAILED : state,
        count,
        Optional.of(now),
        opens ? now : updatedAt);
  }

  private WebhookEndpoint with(
      WebhookEndpointState next, int failures, Optional<Instant> pushed, Instant updated) {
    return new WebhookEndpoint(
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
