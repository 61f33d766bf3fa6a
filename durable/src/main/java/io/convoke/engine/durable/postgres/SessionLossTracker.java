package io.convoke.engine.durable.postgres;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Since when nodes that hold locks have been without a session. A session that broke is replaced
 * within a fraction of a second; only a node that stays away longer than a grace is dead. Where
 * sessions of many nodes broke at once, as in a restart of Postgres, they take longer to come back.
 *
 * <p>Used by one thread at a time.
 */
final class SessionLossTracker {
  /** A listener's first reconnect takes 0.2 s at most, and then as long as Postgres needs. */
  static final Duration GRACE = Duration.ofMillis(1500);

  /** A listener that could not connect for a while tries again after 2 s at most. */
  static final Duration GRACE_AFTER_BREAK = Duration.ofSeconds(6);

  private final Map<Integer, Long> since = new HashMap<>();

  /** Whether a node that is absent has been so for longer than the grace. */
  boolean areOver(int node, long now, Duration grace) {
    Long first = since.putIfAbsent(node, now);
    return first != null && now - first >= grace.toNanos();
  }

  /** Forgets all but these, which are absent still. */
  void keep(Set<Integer> absent) {
    boolean _ = since.keySet().retainAll(absent);
  }
}
