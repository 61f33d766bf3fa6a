package io.convoke.engine.wake;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Timers of one owner: instants on a monotonic clock in nanoseconds, each for a key. Not safe for
 * concurrent use; {@link TimerHeap} is its owner.
 *
 * <p>Bounded: when it is full, it drops the latest timer. That is safe because every receiver
 * queries its store for the next instant when a timer fires.
 */
final class TimerQueue<K> {
  private final int capacity;
  private final TreeMap<Long, LinkedHashSet<K>> timers = new TreeMap<>();
  private int size;

  TimerQueue(int capacity) {
    this.capacity = capacity;
  }

  /** Adds a timer unless it exists; returns whether it is now the earliest. */
  boolean add(K key, long due) {
    boolean earliest = timers.isEmpty() || due < timers.firstKey();
    if (!timers.computeIfAbsent(due, at -> new LinkedHashSet<>()).add(key)) {
      return false;
    }
    size++;
    if (size > capacity) {
      dropLatest();
    }
    return earliest;
  }

  /** Removes all timers that are due, and returns their keys, each once, the earliest first. */
  List<K> takeDue(long now) {
    Set<K> keys = new LinkedHashSet<>();
    while (!timers.isEmpty() && timers.firstKey() <= now) {
      Set<K> due = timers.pollFirstEntry().getValue();
      size -= due.size();
      keys.addAll(due);
    }
    return new ArrayList<>(keys);
  }

  OptionalLong earliest() {
    return timers.isEmpty() ? OptionalLong.empty() : OptionalLong.of(timers.firstKey());
  }

  int size() {
    return size;
  }

  private void dropLatest() {
    LinkedHashSet<K> latest = timers.lastEntry().getValue();
    K _ = latest.removeLast();
    size--;
    if (latest.isEmpty()) {
      var _ = timers.pollLastEntry();
    }
  }
}
