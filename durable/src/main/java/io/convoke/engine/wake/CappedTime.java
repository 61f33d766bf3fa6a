package io.convoke.engine.wake;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A time that is too long for its place, such as one that stands for no limit, is the longest that
 * fits.
 */
public final class CappedTime {
  /** The store has years of four digits. */
  private static final Duration STORED_MAX = Duration.ofDays(365_000);

  private CappedTime() {}

  /** In nanoseconds, at most 292 years. */
  public static long nanos(Duration time) {
    return TimeUnit.NANOSECONDS.convert(time);
  }

  /** In milliseconds, at most {@link Long#MAX_VALUE}. */
  public static long millis(Duration time) {
    return TimeUnit.MILLISECONDS.convert(time);
  }

  /** At most about a thousand years: the store can have a time that is so far from now. */
  public static Duration stored(Duration time) {
    return time.compareTo(STORED_MAX) < 0 ? time : STORED_MAX;
  }
}
