package io.convoke.bench.locks;

import java.net.URI;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson's {@code RLock} (4.7, Apache-2.0) with defaults: a lock without a lease time, which its
 * watchdog renews in batches of 100; pool of 64 connections.
 */
final class RedissonLocker implements RenewingLocker {
  static final String NAME = "redisson";

  private final RedissonClient client;

  /** {@code watchdogMillis} is the lease of a lock without renewal, 30 s by default. */
  RedissonLocker(String url, long watchdogMillis) {
    URI redis = URI.create(url);
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.setLockWatchdogTimeout(watchdogMillis);
    config.setPassword(redis.getUserInfo().substring(1));
    config
        .useSingleServer()
        .setAddress("redis://%s:%d".formatted(redis.getHost(), redis.getPort()));
    this.client = Redisson.create(config);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  @SuppressWarnings("LockNotBeforeTry") // nothing is done while it is held
  public void once(String key) {
    RLock lock = client.getLock(key);
    lock.lock();
    lock.unlock();
  }

  @Override
  public void hold(String key) {
    client.getLock(key).lock();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
