package io.convoke.server.platform;

import java.time.Duration;
import java.util.Optional;

/** Limits the calls to a platform. Shared by all nodes, because the platform counts per account. */
public interface RateLimiter {

  /** Takes a token; empty if granted, else the time to wait. */
  Optional<Duration> tryAcquire();

  /**
   * Takes a token with priority over callers of {@link #tryAcquire}; for bulk queries that replace
   * many calls.
   */
  default Optional<Duration> takeAhead() {
    return tryAcquire();
  }

  /** Refuses all calls for this long, after a 429 of the platform. */
  void freeze(Duration duration);

  /** A limiter that never refuses, for platforms without a rate limit. */
  static RateLimiter unlimited() {
    return new RateLimiter() {
      @Override
      public Optional<Duration> tryAcquire() {
        return Optional.empty();
      }

      @Override
      public void freeze(Duration duration) {}
    };
  }
}
