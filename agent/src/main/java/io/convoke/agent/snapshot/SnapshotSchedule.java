package io.convoke.agent.snapshot;

import java.time.Duration;

/**
 * When the next picture is due: the first at once, then one at each interval counted from the
 * first. Missed pictures are not made up for. Deterministic: the time is passed in.
 */
final class SnapshotSchedule {
  private final long interval;
  private boolean begun;
  private long dueAt;
  private int taken;

  SnapshotSchedule(Duration interval) {
    this.interval = interval.toNanos();
  }

  boolean due(long now) {
    return !begun || now - dueAt >= 0;
  }

  /** The number of the picture that is taken now, from 1. */
  int next(long now) {
    if (!begun) {
      begun = true;
      dueAt = now;
    }
    long missed = (now - dueAt) / interval;
    dueAt += (missed + 1) * interval;
    taken++;
    return taken;
  }

  /** How long until the next one is due; a minute while none was taken. */
  Duration pause(long now) {
    return begun ? Duration.ofNanos(Math.max(0, dueAt - now)) : Duration.ofMinutes(1);
  }
}
