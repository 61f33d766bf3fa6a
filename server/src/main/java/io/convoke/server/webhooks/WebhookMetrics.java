package io.convoke.server.webhooks;

import io.micrometer.core.instrument.MeterRegistry;

/** Metrics of outgoing webhooks. */
final class WebhookMetrics {
  private final MeterRegistry registry;

  WebhookMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** {@code outcome}: delivered, failed or paused. */
  void delivered(String outcome) {
    registry.counter("convoke.webhooks.out", "outcome", outcome).increment();
  }

  void routed(int deliveries) {
    registry.counter("convoke.webhooks.out.routed").increment(deliveries);
  }
}
