package io.convoke.chaos.kernel;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** The monotonic clock of a run, from the start of its faults. */
public final class RunClock {
  private final long started = System.nanoTime();
  private final Instant then = Instant.now();

  /** Waits until this time since the start; returns at once if it is over. */
  public void await(Duration at) {
    for (long left = left(at); left > 0; left = left(at)) {
      LockSupport.parkNanos(left);
    }
  }

  /** A reading of {@link System#nanoTime} as a time of day, without jumps of the wall clock. */
  public Instant instant(long nanos) {
    return then.plusNanos(nanos - started);
  }

  /** A time of day as a reading of {@link System#nanoTime}. */
  public long nanos(Instant time) {
    return time.equals(Instant.MAX)
        ? Long.MAX_VALUE
        : started + Duration.between(then, time).toNanos();
  }

  private long left(Duration at) {
    return at.toNanos() - (System.nanoTime() - started);
  }
}
