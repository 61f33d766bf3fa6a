package io.convoke.bench.locks;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.lease.LeaseTerms;
import io.convoke.engine.redis.Redis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * Ours: every lease has an epoch, is renewed from its beginning, and tells its holder of a loss.
 */
final class Leases implements Holder {
  static final String NAME = "convoke";

  private final Redis redis;
  private final LeaseKeeper keeper;
  private final LeaseTerms terms;

  Leases(String url, LeaseTerms terms) {
    this.redis = Redis.open(url);
    this.keeper = new LeaseKeeper(redis, "bench", new SimpleMeterRegistry());
    this.terms = terms;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void once(String key) {
    acquire(key).close();
  }

  @Override
  public void hold(String key) {
    Lease _ = acquire(key);
  }

  private Lease acquire(String key) {
    return keeper
        .acquire(key, terms)
        .orElseThrow(() -> new IllegalStateException(key + " has another holder"));
  }

  @Override
  public void close() {
    keeper.close();
    redis.close();
  }
}
