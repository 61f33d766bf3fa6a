package io.convoke.agent;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to retry. Minutes, because a deploy or a failover of the control plane must not cost a
 * meeting.
 *
 * @param first pause after the first failure; doubles up to {@code longest}, each with jitter
 * @param horizon total time after which retries end
 */
public record RetryPolicy(Duration first, Duration longest, Duration horizon) {
  /** From a quarter of a second to ten seconds, for five minutes. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofMillis(250), Duration.ofSeconds(10), Duration.ofMinutes(5));

  /** One try. */
  public static final RetryPolicy NONE =
      new RetryPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO);

  /**
   * The pause after the given number of failures: between half and all of the doubled first one.
   */
  public Duration pause(int failures) {
    long full = Math.min(longest.toMillis(), first.toMillis() << Math.min(failures - 1, 16));
    return Duration.ofMillis(full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1));
  }

  /** The same patience with another horizon. */
  public RetryPolicy within(Duration other) {
    return new RetryPolicy(first, longest, other);
  }
}
