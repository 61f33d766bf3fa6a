package io.convoke.server.platform;

import java.time.Duration;
import java.util.Optional;

/**
 * How often the account may still be asked. Shared by every node of the fleet, because the platform
 * counts per account.
 */
public interface RateLimiter {

  /** Takes one call from the budget, or tells how long to wait until there is one. */
  Optional<Duration> tryAcquire();

  /**
   * The same for the one question that spares many: however many wait for {@link #tryAcquire}, it
   * need not wait behind them.
   */
  default Optional<Duration> takeAhead() {
    return tryAcquire();
  }

  /** Nobody asks for this long: the platform said so. */
  void freeze(Duration duration);

  /** A budget without an end, for platforms that do not count. */
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
