package io.convoke.simulator.webhook;

import java.util.Arrays;
import java.util.Optional;

/** What Daily does when an endpoint does not answer 200. */
public enum WebhookRetryType {
  /** Three failures in a row stop all deliveries until the webhook is updated. */
  CIRCUIT_BREAKER("circuit-breaker"),
  /** Each event is tried up to five times with growing gaps; deliveries never stop. */
  EXPONENTIAL("exponential");

  private final String wireName;

  WebhookRetryType(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  public static Optional<WebhookRetryType> named(String wireName) {
    return Arrays.stream(values()).filter(type -> type.wireName.equals(wireName)).findFirst();
  }
}
