package io.convoke.server.http.auth;

import io.convoke.server.http.HttpConfig;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A token bucket per caller, in memory: a guard against one runaway client of this process, not an
 * account of what a customer has bought. At most {@value #MAX_CALLERS} callers are remembered; full
 * buckets are evicted first, which changes nothing for their callers.
 */
public final class CallerRateLimiter {
  static final int MAX_CALLERS = 10_000;
  private static final double NANOS = 1e9;

  private record CallerTokenBucket(double tokens, long atNanos) {}

  /** The remaining tokens after a request was admitted or refused. */
  public record RateLimitState(boolean admitted, long remaining, Duration untilNext) {}

  private final HttpConfig.RateLimitConfig rateLimitConfig;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<String, AtomicReference<CallerTokenBucket>> buckets =
      new ConcurrentHashMap<>();

  public CallerRateLimiter(HttpConfig.RateLimitConfig rateLimitConfig, LongSupplier nanoTime) {
    this.rateLimitConfig = rateLimitConfig;
    this.nanoTime = nanoTime;
  }

  /** Takes one token of a caller's bucket, if there is one. */
  public RateLimitState tryAcquire(String caller) {
    long now = nanoTime.getAsLong();
    AtomicReference<CallerTokenBucket> bucket = buckets.get(caller);
    if (bucket == null) {
      forgetFullOnes(now);
      bucket =
          buckets.computeIfAbsent(
              caller,
              _ -> new AtomicReference<>(new CallerTokenBucket(rateLimitConfig.burst(), now)));
    }
    while (true) {
      CallerTokenBucket before = bucket.get();
      double available = filled(before, now);
      boolean admitted = available >= 1;
      CallerTokenBucket after = new CallerTokenBucket(admitted ? available - 1 : available, now);
      if (bucket.compareAndSet(before, after)) {
        return new RateLimitState(admitted, (long) after.tokens, until(after.tokens));
      }
    }
  }

  private Duration until(double available) {
    double missing = Math.max(0, 1 - available);
    return Duration.ofNanos((long) Math.ceil(missing / rateLimitConfig.perSecond() * NANOS));
  }

  /** The most requests at once. */
  public int burst() {
    return rateLimitConfig.burst();
  }

  /** The seconds in which an empty bucket fills. */
  public long windowSeconds() {
    return Math.max(1, Math.round(rateLimitConfig.burst() / rateLimitConfig.perSecond()));
  }

  private double filled(CallerTokenBucket callerTokenBucket, long now) {
    double gained =
        Math.max(0, now - callerTokenBucket.atNanos) / NANOS * rateLimitConfig.perSecond();
    return Math.min(rateLimitConfig.burst(), callerTokenBucket.tokens + gained);
  }

  private void forgetFullOnes(long now) {
    if (buckets.size() < MAX_CALLERS) {
      return;
    }
    buckets.values().removeIf(bucket -> filled(bucket.get(), now) >= rateLimitConfig.burst());
    if (buckets.size() >= MAX_CALLERS) {
      buckets.keySet().stream().limit(MAX_CALLERS / 10).toList().forEach(buckets::remove);
    }
  }
}
