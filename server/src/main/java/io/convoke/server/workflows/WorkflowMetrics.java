package io.convoke.server.workflows;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.ProviderAdmin.ProviderMetrics;
import io.convoke.server.loop.GaugeReading;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/**
 * Gauges of the engine's tables, and counters of this node. Counting time grows with the number of
 * workflows, so a count is cached for a hundred times as long as it took: scrapes use at most one
 * percent of one connection.
 */
final class WorkflowMetrics {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final int SHARE = 100;

  private final PostgresProvider provider;
  private final GaugeReading<ProviderMetrics> counts;

  WorkflowMetrics(PostgresProvider provider) {
    this.provider = provider;
    this.counts =
        new GaugeReading<>("workflow-gauges", FRESH, SHARE, () -> provider.admin().metrics());
  }

  void register(MeterRegistry registry) {
    gauge(
        registry,
        "convoke.workflows.running",
        "executions that have not ended",
        ProviderMetrics::running);
    gauge(registry, "convoke.workflows.failed", "instances that failed", ProviderMetrics::failed);
    gauge(
        registry,
        "convoke.workflows.completed",
        "instances that completed",
        ProviderMetrics::completed);
    gauge(
        registry, "convoke.workflows.messages", "queued for instances", ProviderMetrics::messages);
    gauge(
        registry, "convoke.workflows.work_items", "queued for workers", ProviderMetrics::workItems);
    var _ =
        Gauge.builder("convoke.workflows.notifications", provider, it -> it.announced() ? 1 : 0)
            .description("1 while this node receives notifications of new work, 0 while it polls")
            .register(registry);
    var _ =
        FunctionCounter.builder("convoke.workflows.claims", provider, PostgresProvider::claims)
            .description("statements that claimed, those that found nothing included")
            .register(registry);
    var _ =
        FunctionCounter.builder(
                "convoke.workflows.listener.connects", provider, PostgresProvider::connects)
            .description("connections that the listener has opened; more than one means reconnects")
            .register(registry);
  }

  private void gauge(
      MeterRegistry registry, String name, String what, ToDoubleFunction<ProviderMetrics> value) {
    var _ =
        Gauge.builder(name, counts, it -> it.of(value))
            .description(what)
            // The only strong reference to the counts; weakly held they would report NaN.
            .strongReference(true)
            .register(registry);
  }
}
