package io.convoke.server.sync;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds back what this node knows and cannot put into the cache, until the other nodes have heard
 * of it by the journal: they may reach a cache that this one does not, and must not show what was
 * before. Only the first who are told of a version wait for that.
 */
final class Hearsay {
  /** Within this the other nodes have heard of an update by the journal. */
  static final Duration SPREAD = Duration.ofMillis(200);

  private static final int HEARD_MAX = 8_192;

  private final ConcurrentHashMap<String, Heard> heard = new ConcurrentHashMap<>();

  /** A version that nobody here was told of before {@code nanos}. */
  private record Heard(long version, long nanos) {}

  /** Waits until all of it has spread. */
  void await(Collection<SyncRecord> told) {
    Spread.pass(left(told, System.nanoTime()));
  }

  /** How long the last of it still takes, at a moment of the monotonic clock. */
  Duration left(Collection<SyncRecord> told, long nanos) {
    if (heard.size() >= HEARD_MAX) {
      heard.clear();
    }
    Duration left = Duration.ZERO;
    for (SyncRecord record : told) {
      Heard first =
          heard.merge(
              record.meetingId(),
              new Heard(record.version(), nanos),
              (was, is) -> was.version >= is.version ? was : is);
      Duration one = SPREAD.minusNanos(nanos - first.nanos);
      left = one.compareTo(left) > 0 ? one : left;
    }
    return left;
  }
}
