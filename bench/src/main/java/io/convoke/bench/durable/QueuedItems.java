package io.convoke.bench.durable;

import java.time.Duration;

/**
 * A turn of queueing.
 *
 * @param items whose commits were confirmed
 * @param span in which they were queued
 */
record QueuedItems(long items, Duration span) {
  /** Queued from that time on until now, by {@link System#nanoTime}. */
  static QueuedItems since(long begun, long items) {
    return new QueuedItems(items, Duration.ofNanos(System.nanoTime() - begun));
  }
}
