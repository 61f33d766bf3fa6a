package io.convoke.server.sync;

import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
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
import org.jspecify.annotations.Nullable;

/** Metrics of syncs. Labels are closed sets. */
final class SyncMetrics {
  private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

  private final MeterRegistry registry;
  private final Map<String, Counter> reads = new ConcurrentHashMap<>();
  private final Map<String, Counter> updates = new ConcurrentHashMap<>();
  private final Counter retries;
  private final Timer update;
  private final Timer lag;
  private final Timer duration;

  private Supplier<SyncStore.SyncStatusCounts> look =
      () -> new SyncStore.SyncStatusCounts(0, 0, 0, 0);
  private SyncStore.@Nullable SyncStatusCounts last;
  private long readAt;

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
    look = source;
    gauge("convoke.sync.running", "syncs in progress", SyncStore.SyncStatusCounts::inProgress);
    gauge("convoke.sync.stalled", "syncs without progress", SyncStore.SyncStatusCounts::stalled);
    gauge("convoke.sync.failed", "syncs that failed last", SyncStore.SyncStatusCounts::failed);
    gauge(
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

  private void gauge(String name, String what, ToDoubleFunction<SyncStore.SyncStatusCounts> value) {
    var _ =
        Gauge.builder(name, this, meters -> meters.now(value)).description(what).register(registry);
  }

  private synchronized double now(ToDoubleFunction<SyncStore.SyncStatusCounts> value) {
    try {
      SyncStore.SyncStatusCounts syncStatusCounts = last;
      if (syncStatusCounts == null || System.nanoTime() - readAt > FRESH_NANOS) {
        syncStatusCounts = look.get();
        last = syncStatusCounts;
        readAt = System.nanoTime();
      }
      return value.applyAsDouble(syncStatusCounts);
    } catch (StoreUnavailable | SqlFailure e) {
      return Double.NaN;
    }
  }
}
