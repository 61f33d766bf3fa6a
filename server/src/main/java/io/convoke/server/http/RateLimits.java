package io.convoke.server.http;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A token bucket per caller, in memory: a guard against one runaway client of this process, not an
 * account of what a customer has bought. At most {@value #MAX_CALLERS} callers are remembered; full
 * buckets are evicted first, which changes nothing for their callers.
 */
final class RateLimits {
  static final int MAX_CALLERS = 10_000;
  private static final double NANOS = 1e9;

  private record Bucket(double tokens, long atNanos) {}

  /** The remaining tokens after a request was admitted or refused. */
  record Standing(boolean admitted, long remaining, Duration untilNext) {}

  private final HttpTerms.Rate rate;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<String, AtomicReference<Bucket>> buckets =
      new ConcurrentHashMap<>();

  RateLimits(HttpTerms.Rate rate, LongSupplier nanoTime) {
    this.rate = rate;
    this.nanoTime = nanoTime;
  }

  /** Takes one token of a caller's bucket, if there is one. */
  Standing take(String caller) {
    long now = nanoTime.getAsLong();
    AtomicReference<Bucket> bucket = buckets.get(caller);
    if (bucket == null) {
      forgetFullOnes(now);
      bucket =
          buckets.computeIfAbsent(
              caller, _ -> new AtomicReference<>(new Bucket(rate.burst(), now)));
    }
    while (true) {
      Bucket before = bucket.get();
      double available = filled(before, now);
      boolean admitted = available >= 1;
      Bucket after = new Bucket(admitted ? available - 1 : available, now);
      if (bucket.compareAndSet(before, after)) {
        return new Standing(admitted, (long) after.tokens, until(after.tokens));
      }
    }
  }

  private Duration until(double available) {
    double missing = Math.max(0, 1 - available);
    return Duration.ofNanos((long) Math.ceil(missing / rate.perSecond() * NANOS));
  }

  /** The most requests at once. */
  int burst() {
    return rate.burst();
  }

  /** The seconds in which an empty bucket fills. */
  long windowSeconds() {
    return Math.max(1, Math.round(rate.burst() / rate.perSecond()));
  }

  private double filled(Bucket bucket, long now) {
    double gained = Math.max(0, now - bucket.atNanos) / NANOS * rate.perSecond();
    return Math.min(rate.burst(), bucket.tokens + gained);
  }

  private void forgetFullOnes(long now) {
    if (buckets.size() < MAX_CALLERS) {
      return;
    }
    buckets.values().removeIf(bucket -> filled(bucket.get(), now) >= rate.burst());
    if (buckets.size() >= MAX_CALLERS) {
      buckets.keySet().stream().limit(MAX_CALLERS / 10).toList().forEach(buckets::remove);
    }
  }
}
