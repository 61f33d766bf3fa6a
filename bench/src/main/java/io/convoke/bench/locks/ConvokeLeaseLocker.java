package io.convoke.bench.locks;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseConfig;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * Convoke's lease: it has an epoch, is renewed from its start, and notifies its holder of a loss.
 */
final class ConvokeLeaseLocker implements RenewingLocker {
  static final String NAME = "convoke";

  private final Redis redis;
  private final LeaseRenewer keeper;
  private final LeaseConfig terms;

  ConvokeLeaseLocker(String url, LeaseConfig terms) {
    this.redis = Redis.open(url);
    this.keeper = new LeaseRenewer(redis, "bench", new SimpleMeterRegistry());
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
