package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.DispatchMaintainer;
import io.convoke.engine.dispatch.DispatchStats;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.KeySpace;
import io.convoke.engine.dispatch.RecordedTransition;
import io.convoke.engine.dispatch.RegionStats;
import io.convoke.engine.redis.RedisUnavailable;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of tasks, by region. Gauges cover the fleet and cost one Redis call for each scrape;
 * counters cover this node. Region names come from users: beyond {@value #REGIONS_MAX} they share
 * one label.
 */
final class DispatchMetrics implements DispatchMaintainer.SweepListener {
  private static final int REGIONS_MAX = 100;
  private static final String REST = "other";
  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

  private final MeterRegistry registry;
  private final Set<String> labels = ConcurrentHashMap.newKeySet();
  private final Set<String> gauged = ConcurrentHashMap.newKeySet();
  private volatile DispatchStatsSource source = () -> new DispatchStats(List.of(), List.of(), 0);
  private DispatchReading last = DispatchReading.NONE;
  private long readAt = System.nanoTime() - FRESH_NANOS;

  /** The last reading; unknown while Redis is unreachable. */
  private record DispatchReading(
      boolean known, Map<String, RegionStats> regions, long outboxLength) {
    static final DispatchReading NONE = new DispatchReading(false, Map.of(), 0);

    double of(String region, ToDoubleFunction<RegionStats> value) {
      if (!known) {
        return Double.NaN;
      }
      RegionStats found = regions.get(region);
      return found == null ? 0 : value.applyAsDouble(found);
    }
  }

  /** Source of the gauges. */
  @FunctionalInterface
  interface DispatchStatsSource {
    DispatchStats stats();
  }

  DispatchMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Registers the gauges; a region's appear once it was seen. */
  void watch(DispatchStatsSource dispatchStatsSource) {
    source = dispatchStatsSource;
    var _ =
        Gauge.builder("convoke.dispatch.outbox", this, DispatchMetrics::outboxLength)
            .description("outbox entries that wait for the database")
            .register(registry);
  }

  /** Counts the result of a submission. */
  void submitted(EnqueueResult enqueueResult) {
    String outcome =
        switch (enqueueResult) {
          case EnqueueResult.Created _ -> "created";
          case EnqueueResult.AlreadyEnqueued _ -> "known";
          case EnqueueResult.IdTaken _ -> "id_taken";
          case EnqueueResult.ChannelBusy _ -> "channel_busy";
          case EnqueueResult.QueueFull _ -> "queue_full";
        };
    registry.counter("convoke.dispatch.enqueued", "outcome", outcome).increment();
  }

  /** Counts recorded transitions: starts to PROCESSING, ends to a final state. */
  void moved(List<RecordedTransition> moves) {
    for (RecordedTransition recordedTransition : moves) {
      registry
          .counter(
              "convoke.dispatch.transitions",
              "region",
              label(recordedTransition.region().orElse(KeySpace.GLOBAL)),
              "state",
              recordedTransition.move().state().name().toLowerCase(Locale.ROOT))
          .increment();
    }
  }

  @Override
  public void swept(DispatchMaintainer.SweepKind sweepKind, String region, int count) {
    // A region without pods may never be seen waiting: its tasks overflow at once.
    show(region);
    sweeps(sweepKind, region).increment(count);
  }

  private Counter sweeps(DispatchMaintainer.SweepKind sweepKind, String region) {
    return registry.counter(
        "convoke.dispatch.swept",
        "region",
        label(region),
        "sweep",
        sweepKind.name().toLowerCase(Locale.ROOT));
  }

  private double outboxLength() {
    DispatchReading dispatchReading = read();
    dispatchReading.regions().keySet().forEach(this::show);
    return dispatchReading.known() ? dispatchReading.outboxLength() : Double.NaN;
  }

  /** Shows a region's gauges, and its sweeps as 0: Prometheus needs a value before the first. */
  private void show(String region) {
    if (!label(region).equals(region) || !gauged.add(region)) {
      return;
    }
    for (DispatchMaintainer.SweepKind sweepKind : DispatchMaintainer.SweepKind.values()) {
      Counter _ = sweeps(sweepKind, region);
    }
    gauge(region, "pending", "tasks that wait", RegionStats::pending);
    gauge(region, "processing", "tasks that its pods run", RegionStats::processing);
    gauge(region, "pods", "pods that live and take tasks", RegionStats::pods);
    gauge(region, "slots", "slots of its pods", RegionStats::slots);
    gauge(region, "slots.free", "slots that have no task", RegionStats::free);
    gauge(
        region,
        "pending.oldest.seconds",
        "how long the task that waits longest has waited",
        it -> it.oldest().map(age -> age.toMillis() / 1000.0).orElse(0.0));
  }

  private void gauge(String region, String name, String what, ToDoubleFunction<RegionStats> value) {
    var _ =
        Gauge.builder("convoke.dispatch." + name, this, it -> it.read().of(region, value))
            .description(what)
            .tag("region", region)
            .register(registry);
  }

  private synchronized DispatchReading read() {
    if (System.nanoTime() - readAt < FRESH_NANOS) {
      return last;
    }
    try {
      DispatchStats dispatchStats = source.stats();
      Map<String, RegionStats> regions = new HashMap<>();
      dispatchStats.regions().forEach(regionStats -> regions.put(regionStats.name(), regionStats));
      last = new DispatchReading(true, regions, dispatchStats.outboxLength());
    } catch (RedisUnavailable e) {
      last = DispatchReading.NONE;
    }
    readAt = System.nanoTime();
    return last;
  }

  private String label(String region) {
    if (labels.contains(region)) {
      return region;
    }
    return labels.size() < REGIONS_MAX && labels.add(region) ? region : REST;
  }
}
