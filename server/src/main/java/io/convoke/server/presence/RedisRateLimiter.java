package io.convoke.server.presence;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.platform.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket per platform account, in Redis, so that all nodes together keep to the platform's
 * limit. While Redis is unreachable each node is limited to one call per second.
 */
public final class RedisRateLimiter implements RateLimiter {
  private static final LuaScript RATE_LIMIT =
      LuaScript.resource(RedisRateLimiter.class, "ratelimit.lua");

  /** Together with the burst, at most 50 in any 30 s. */
  private static final int SLOW_RATE = 1;

  private static final int SLOW_BURST = 20;

  private static final int HUBSPOT_RATE = 7;

  private static final int HUBSPOT_BURST = 20;

  /** Tokens reserved for {@link #takeAhead}. */
  private static final int RESERVE = 1;

  private static final Duration ALONE = Duration.ofSeconds(1);

  private final Redis redis;
  private final String key;
  private final int rate;
  private final int burst;
  private final Semaphore alone = new Semaphore(1);
  private final AtomicLong aloneUntilNanos = new AtomicLong(System.nanoTime());

  public RedisRateLimiter(Redis redis, ApiBudget budget) {
    this(redis, budget.account(), budget.rate(), budget.burst());
  }

  /**
   * The limiter of a HubSpot account: below 100 in ten seconds, which other programs share.
   *
   * @param account its id; empty for that of the server-wide token
   */
  public static RedisRateLimiter ofHubSpot(Redis redis, String account) {
    return new RedisRateLimiter(
        redis, account.isEmpty() ? "hubspot" : "hubspot:" + account, HUBSPOT_RATE, HUBSPOT_BURST);
  }

  /** {@code rate} calls a second, {@code burst} at once. */
  private RedisRateLimiter(Redis redis, String account, int rate, int burst) {
    this.redis = redis;
    this.key = key(account);
    this.rate = rate;
    this.burst = burst;
  }

  /**
   * The limiter of calls that the platform counts separately: 50 in 30 s at Daily. Each such call
   * also takes a token of the general limit.
   */
  public RateLimiter slow() {
    RedisRateLimiter own =
        new RedisRateLimiter(
            redis, key.substring(key("").length()) + ":slow", SLOW_RATE, SLOW_BURST);
    RedisRateLimiter all = this;
    return new RateLimiter() {
      @Override
      public Optional<Duration> tryAcquire() {
        return own.take(0).or(all::tryAcquire);
      }

      @Override
      public void freeze(Duration duration) {
        own.freeze(duration);
      }
    };
  }

  static String key(String account) {
    return "convoke:budget:" + account;
  }

  @Override
  public Optional<Duration> tryAcquire() {
    return take(RESERVE);
  }

  @Override
  public Optional<Duration> takeAhead() {
    return take(0);
  }

  private Optional<Duration> take(int left) {
    try {
      return wait(
          redis.eval(
              RATE_LIMIT,
              List.of(key),
              List.of(
                  Integer.toString(rate),
                  Integer.toString(burst),
                  "1",
                  "0",
                  Integer.toString(left))));
    } catch (RedisUnavailable away) {
      return takeAlone();
    }
  }

  @Override
  public void freeze(Duration duration) {
    restAlone(duration);
    try {
      Object _ =
          redis.eval(
              RATE_LIMIT,
              List.of(key),
              List.of(
                  Integer.toString(rate),
                  Integer.toString(burst),
                  "0",
                  Long.toString(duration.toMillis()),
                  "0"));
    } catch (RedisUnavailable away) {
      // This node observes the freeze locally.
    }
  }

  private Optional<Duration> takeAlone() {
    if (!alone.tryAcquire()) {
      return Optional.of(ALONE);
    }
    try {
      long left = aloneUntilNanos.get() - System.nanoTime();
      if (left > 0) {
        return Optional.of(Duration.ofNanos(left));
      }
      restAlone(ALONE);
      return Optional.empty();
    } finally {
      alone.release();
    }
  }

  /** Nothing is sent for this long without Redis; a rest that ends later stays. */
  private void restAlone(Duration rest) {
    long until = System.nanoTime() + rest.toNanos();
    long _ = aloneUntilNanos.accumulateAndGet(until, (old, own) -> own - old > 0 ? own : old);
  }

  private static Optional<Duration> wait(@org.jspecify.annotations.Nullable Object answer) {
    return answer instanceof Long millis && millis > 0
        ? Optional.of(Duration.ofMillis(millis))
        : Optional.empty();
  }
}
