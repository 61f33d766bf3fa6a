package io.convoke.server.sync;

import io.convoke.server.loop.GaugeReading;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Metrics of syncs. Labels are closed sets. */
final class SyncMetrics {
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final MeterRegistry registry;
  private final Map<String, Counter> reads = new ConcurrentHashMap<>();
  private final Map<String, Counter> updates = new ConcurrentHashMap<>();
  private final Counter retries;
  private final Timer update;
  private final Timer lag;
  private final Timer duration;

  SyncMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.retries = registry.counter("convoke.sync.update.retries");
    this.update =
        timer(
            "convoke.sync.update",
            "from an update's arrival to its response",
            Duration.ofSeconds(10));
    this.lag =
        timer(
            "convoke.sync.lag",
            "from an update to its invalidation in the cache, by way of the journal",
            Duration.ofSeconds(30));
    this.duration =
        timer("convoke.sync.duration", "from an attempt's start to its end", Duration.ofHours(2));
  }

  /** Gauges of the table, read at most once in five seconds. */
  void gauges(Supplier<SyncStore.SyncStatusCounts> source) {
    GaugeReading<SyncStore.SyncStatusCounts> counts =
        new GaugeReading<>("sync-gauges", FRESH, 1, source);
    gauge(
        counts,
        "convoke.sync.running",
        "syncs in progress",
        SyncStore.SyncStatusCounts::inProgress);
    gauge(
        counts,
        "convoke.sync.stalled",
        "syncs without progress",
        SyncStore.SyncStatusCounts::stalled);
    gauge(
        counts,
        "convoke.sync.failed",
        "syncs that failed last",
        SyncStore.SyncStatusCounts::failed);
    gauge(
        counts,
        "convoke.sync.oldest.seconds",
        "since the last progress of the sync without progress for the longest time",
        SyncStore.SyncStatusCounts::oldestSeconds);
  }

  /** Metrics of the cache. */
  void cache(SyncCache cache) {
    var _ =
        FunctionCounter.builder("convoke.sync.cache.requests", cache, SyncCache::requests)
            .description("requests to Redis for reading; concurrent reads share one")
            .register(registry);
    var _ =
        FunctionCounter.builder("convoke.sync.cache.generations", cache, SyncCache::generations)
            .description("generations that this node started: the cache was empty after each")
            .register(registry);
    var _ =
        Gauge.builder("convoke.sync.cache.usable", cache, it -> it.usable() ? 1 : 0)
            .description("1 while this node reads the cache; else it reads the database")
            .register(registry);
  }

  void updated(SyncUpdate wanted, SyncUpdateResult syncUpdateResult, Duration took, int tries) {
    String outcome =
        switch (syncUpdateResult) {
          case SyncUpdateResult.SyncUpdated _ -> "applied";
          case SyncUpdateResult.SyncUpdateIgnored _ -> "unchanged";
          case SyncUpdateResult.SyncUpdateRefused _ -> "refused";
        };
    count(wanted, outcome, tries);
    update.record(took);
    if (syncUpdateResult instanceof SyncUpdateResult.SyncUpdated(SyncRecord record, SyncStatus from)
        && record.status().terminal()
        && record.status() != from) {
      record
          .attemptAt()
          .flatMap(begin -> record.updatedAt().map(end -> Duration.between(begin, end)))
          .ifPresent(duration::record);
    }
  }

  void unavailable(SyncUpdate wanted, int tries) {
    count(wanted, "unavailable", tries);
  }

  void failed(SyncUpdate wanted, int tries) {
    count(wanted, "failed", tries);
  }

  /** {@code result}: hit, negative, miss, stale or away. */
  void read(String result) {
    // Cached: a lookup by tags costs more than the rest of a cache hit.
    reads
        .computeIfAbsent(result, it -> registry.counter("convoke.sync.reads", "result", it))
        .increment();
  }

  void invalidated(Duration behind) {
    lag.record(behind.isNegative() ? Duration.ZERO : behind);
  }

  void noticed(int stalled) {
    registry.counter("convoke.sync.stalls").increment(stalled);
  }

  private void count(SyncUpdate wanted, String outcome, int tries) {
    updates
        .computeIfAbsent(
            wanted.label() + ' ' + outcome,
            _ ->
                registry.counter(
                    "convoke.sync.updates", "status", wanted.label(), "outcome", outcome))
        .increment();
    retries.increment(tries - 1.0);
  }

  private Timer timer(String name, String what, Duration most) {
    return Timer.builder(name)
        .description(what)
        .publishPercentileHistogram()
        .maximumExpectedValue(most)
        .register(registry);
  }

  private void gauge(
      GaugeReading<SyncStore.SyncStatusCounts> counts,
      String name,
      String what,
      ToDoubleFunction<SyncStore.SyncStatusCounts> value) {
    var _ =
        Gauge.builder(name, counts, it -> it.of(value))
            .description(what)
            // The only strong reference to the reading.
            .strongReference(true)
            .register(registry);
  }
}
