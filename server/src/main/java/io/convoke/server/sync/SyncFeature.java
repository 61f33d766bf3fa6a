package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Wires sync status: its endpoints, and the API for updates by Convoke's own jobs. */
public final class SyncFeature implements AutoCloseable {
  /** Restarts the work when a sync is retried. */
  @FunctionalInterface
  public interface RetryHook {
    /**
     * Called in the transaction that opens the next attempt, so that its writes are committed if
     * and only if the attempt is opened. It must not call other systems.
     *
     * @param was the record before the retry
     * @return whether work is under way now; if no hook says so, the sync shows as stalled until a
     *     job of another system reports
     */
    boolean retried(Tx tx, SyncRecord was);
  }

  private final SyncWriter writer;
  private final SyncCache cache;
  private final CacheInvalidator invalidator;
  private final StallDetector detector;
  private final SyncEndpoints endpoints;

  /**
   * Wires the feature and starts the cache.
   *
   * @param database a separate pool, so that other features cannot block it
   * @param databaseUp whether Postgres is reachable, as far as this node knows
   */
  public SyncFeature(
      Database database,
      Journal journal,
      Redis redis,
      BooleanSupplier databaseUp,
      SyncConfig config,
      MeterRegistry registry,
      InstantSource clock) {
    SyncStore store = new SyncStore(database);
    SyncMetrics metrics = new SyncMetrics(registry);
    metrics.gauges(() -> store.countByStatus(config.stallAfter()));
    this.cache = new SyncCache(redis, config.cacheTtl());
    metrics.cache(cache);
    this.writer = new SyncWriter(database, journal, cache, metrics, config.writeDeadline());
    this.detector = new StallDetector(database, journal, metrics, config.stallAfter());
    this.invalidator = new CacheInvalidator(journal, cache, metrics, clock, detector::moved);
    SyncReader reader = new SyncReader(store, cache, metrics, databaseUp);
    this.endpoints = new SyncEndpoints(reader, writer, config.stallAfter(), clock);
    invalidator.start();
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /** Starts the detection of stalled syncs. */
  public void start() {
    detector.start();
  }

  /** Applies an update in its own transaction; it is durable when this returns. */
  public SyncUpdateResult apply(String meetingId, SyncUpdate update) {
    return writer.write(meetingId, update);
  }

  /**
   * Applies an update in a transaction of the caller's, so that a step's output and its completion
   * commit together. The transaction should be short: the meeting's row is locked until its end.
   */
  public SyncUpdateResult apply(Tx tx, String meetingId, SyncUpdate update) {
    return writer.write(tx, meetingId, update);
  }

  /** Registers a hook that restarts the work when a sync is retried. */
  public void onRetry(RetryHook hook) {
    writer.onRetry(hook);
  }

  /** Whether reads can be served from the cache. */
  public HealthChecks.HealthReading health() {
    return cache.usable()
        ? HealthChecks.HealthReading.ok()
        : HealthChecks.HealthReading.degraded(
            "Redis is unreachable; sync status is read from Postgres");
  }

  SyncCache cache() {
    return cache;
  }

  CacheInvalidator invalidator() {
    return invalidator;
  }

  @Override
  public void close() {
    detector.close();
    invalidator.close();
    cache.close();
  }
}
