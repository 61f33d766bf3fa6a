package io.convoke.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How a client repeats a call that may succeed later: one that changes nothing, or that carries an
 * idempotency key.
 *
 * @param attempts at most, the first included
 * @param firstWait before the second attempt; doubles each time, with jitter down to half
 * @param longestWait between attempts; a server that asks for more is not waited for
 */
public record RetrySettings(int attempts, Duration firstWait, Duration longestWait) {
  /** Five attempts within some seconds. */
  public static final RetrySettings DEFAULT =
      new RetrySettings(5, Duration.ofMillis(200), Duration.ofSeconds(20));

  /** One attempt. */
  public static final RetrySettings NONE = new RetrySettings(1, Duration.ZERO, Duration.ZERO);

  /** The wait after so many failed attempts, 1 and up. */
  Duration wait(int failed) {
    long most =
        Math.min(
            longestWait.toMillis(), firstWait.toMillis() << Math.min(20, Math.max(0, failed - 1)));
    return Duration.ofMillis(
        most < 2 ? most : ThreadLocalRandom.current().nextLong(most / 2, most + 1));
  }
}
