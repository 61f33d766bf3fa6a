package io.convoke.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.DispatchMaintainer.SweepKind;
import io.convoke.engine.dispatch.DispatchStats;
import io.convoke.engine.dispatch.RegionStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What alerts need of the metrics of tasks. */
class DispatchMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final DispatchMetrics metrics = new DispatchMetrics(registry);

  /** Prometheus counts the increase from the first value that it has seen. */
  @Test
  void sweepsOfARegionAreZeroBeforeTheFirst() {
    metrics.watch(
        () ->
            new DispatchStats(
                List.of(new RegionStats("eu", 0, 20, Optional.empty(), 1, 20, 0)), List.of(), 0));
    assertThat(registry.get("convoke.dispatch.outbox").gauge().value()).isZero();
    for (SweepKind sweepKind : SweepKind.values()) {
      assertThat(swept("eu", sweepKind)).isZero();
    }
    metrics.swept(SweepKind.RECLAIM, "eu", 20);
    assertThat(swept("eu", SweepKind.RECLAIM)).isEqualTo(20);
  }

  @Test
  void aRegionWhoseTasksAllOverflowIsSeenToHaveNoPod() {
    metrics.watch(() -> new DispatchStats(List.of(), List.of(), 0));
    metrics.swept(SweepKind.OVERFLOW, "us", 3);
    assertThat(registry.get("convoke.dispatch.pods").tag("region", "us").gauge().value()).isZero();
    assertThat(swept("us", SweepKind.OVERFLOW)).isEqualTo(3);
    assertThat(swept("us", SweepKind.RECLAIM)).isZero();
  }

  private double swept(String region, SweepKind sweepKind) {
    return registry
        .get("convoke.dispatch.swept")
        .tags("region", region, "sweep", sweepKind.name().toLowerCase(Locale.ROOT))
        .counter()
        .count();
  }
}
