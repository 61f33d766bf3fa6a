package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Health;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Sync status, ready to be wired: what it serves, and how our own jobs tell it how far they are.
 */
public final class Sync implements AutoCloseable {
  /** What is seen of a database that is out of reach. */
  static final long OUT_OF_SIGHT = 0;

  private final SyncWriter writer;
  private final SyncCache cache;
  private final CacheFollower follower;
  private final StallDetector detector;
  private final SyncEndpoints endpoints;

  /**
   * Connects the parts and begins to keep the cache.
   *
   * @param database a pool of its own, so that others cannot keep it waiting
   * @param databaseSight 0 while the database does not answer, as far as this node knows; else how
   *     often it was found, so that a loss in between is seen afterwards too
   */
  public Sync(
      Database database,
      Journal journal,
      Redis redis,
      LongSupplier databaseSight,
      SyncTerms terms,
      MeterRegistry registry,
      InstantSource clock) {
    SyncStore store = new SyncStore(database);
    SyncMeters meters = new SyncMeters(registry);
    meters.standing(() -> store.standing(terms.stallAfter()));
    this.cache = new SyncCache(redis, terms.cacheTtl());
    meters.cache(cache);
    this.writer = new SyncWriter(database, journal, cache, meters, terms.writeDeadline());
    this.detector = new StallDetector(database, journal, meters, terms.stallAfter());
    this.follower =
        new CacheFollower(journal, redis, cache, meters, clock, databaseSight, detector::moved);
    SyncReader reader = new SyncReader(store, cache, follower, meters, databaseSight);
    cache.onForgotten(reader::refresh);
    this.endpoints = new SyncEndpoints(reader, writer, store, terms.stallAfter(), clock);
    follower.start();
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /** Begins to look for syncs that stand still. */
  public void start() {
    detector.start();
  }

  /** Applies an update by itself; when this returns, it is durable. */
  public Applied tell(String meetingId, SyncUpdate update) {
    return writer.write(meetingId, update);
  }

  /**
   * Applies an update in a transaction of the caller's, so that a step's output and its completion
   * commit together. The transaction should be short: the meeting's row is locked until its end.
   */
  public Applied tell(Tx tx, String meetingId, SyncUpdate update) {
    return writer.write(tx, meetingId, update);
  }

  /** Has somebody begin the work again when a sync is tried again. */
  public void onRetry(RetryHook hook) {
    writer.onRetry(hook);
  }

  /** Whether reads can be served from the cache. */
  public Health.Reading health() {
    return follower.coherent()
        ? Health.Reading.ok()
        : Health.Reading.degraded("the cache is not believed now; reads ask the database");
  }

  CacheFollower follower() {
    return follower;
  }

  @Override
  public void close() {
    detector.close();
    follower.close();
    cache.close();
  }
}
