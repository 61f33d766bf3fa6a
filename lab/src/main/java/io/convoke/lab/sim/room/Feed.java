package io.convoke.lab.sim.room;

import io.convoke.lab.sim.world.WorldEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The recent events of one room, and its listeners. Changed only under the world's lock. */
final class Feed {

  /** One event with its place in the room's sequence. */
  record Entry(long seq, WorldEvent event) {}

  private static final int REMEMBERED = 1_000;

  private final Deque<Entry> recent = new ArrayDeque<>();
  private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
  private long seq;

  void add(WorldEvent event) {
    Entry entry = new Entry(++seq, event);
    recent.addLast(entry);
    if (recent.size() > REMEMBERED) {
      recent.removeFirst();
    }
    listeners.forEach(listener -> listener.offer(entry));
  }

  long seq() {
    return seq;
  }

  /** What was said after this point of the sequence. */
  List<Entry> spokenSince(long after) {
    return recent.stream()
        .filter(entry -> entry.seq() > after && entry.event() instanceof WorldEvent.Spoken)
        .toList();
  }

  void listen(Listener listener) {
    listeners.add(listener);
  }

  void forget(Listener listener) {
    listeners.remove(listener);
  }

  void closeAll() {
    listeners.forEach(Listener::close);
  }
}
