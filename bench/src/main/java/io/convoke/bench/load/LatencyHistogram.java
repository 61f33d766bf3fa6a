package io.convoke.bench.load;

import java.time.Duration;

/**
 * Counts times in buckets whose width is a 64th of their value, so that a percentile is right
 * within 2 %, whatever its size. Used by one thread.
 */
public final class LatencyHistogram {
  private static final int SUB_BITS = 6;
  private static final int SUB = 1 << SUB_BITS;

  private final long[] counts = new long[SUB * (64 - SUB_BITS)];
  private long total;

  public void add(long nanos) {
    counts[index(Math.max(0, nanos))]++;
    total++;
  }

  /** Takes in all times of another. */
  public void add(LatencyHistogram other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    total += other.total;
  }

  public long total() {
    return total;
  }

  /** The time that this share of all times does not exceed; zero without any. */
  public Duration percentile(double share) {
    long wanted = Math.max(1, (long) Math.ceil(share * total));
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return Duration.ofNanos(highest(i));
      }
    }
    return Duration.ZERO;
  }

  private static int index(long nanos) {
    int magnitude = Math.max(0, 64 - Long.numberOfLeadingZeros(nanos) - SUB_BITS - 1);
    return (magnitude << SUB_BITS) + (int) (nanos >>> magnitude);
  }

  private static long highest(int index) {
    int magnitude = Math.max(0, (index >> SUB_BITS) - 1);
    long value = index - ((long) magnitude << SUB_BITS);
    return ((value + 1) << magnitude) - 1;
  }
}
