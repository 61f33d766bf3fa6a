package io.convoke.simulator.room;

import io.convoke.simulator.state.SimulationEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The recent events of one room, and its listeners. Changed only under the world's lock. */
final class RoomFeed {

  /** One event with its place in the room's sequence. */
  record RoomFeedEntry(long seq, SimulationEvent event) {}

  private static final int REMEMBERED = 1_000;

  private final Deque<RoomFeedEntry> recent = new ArrayDeque<>();
  private final Set<RoomStreamQueue> listeners = ConcurrentHashMap.newKeySet();
  private long seq;

  void add(SimulationEvent event) {
    RoomFeedEntry roomFeedEntry = new RoomFeedEntry(++seq, event);
    recent.addLast(roomFeedEntry);
    if (recent.size() > REMEMBERED) {
      recent.removeFirst();
    }
    listeners.forEach(roomStreamQueue -> roomStreamQueue.offer(roomFeedEntry));
  }

  long seq() {
    return seq;
  }

  /** The lines spoken after this sequence number. */
  List<RoomFeedEntry> spokenSince(long after) {
    return recent.stream()
        .filter(
            roomFeedEntry ->
                roomFeedEntry.seq() > after
                    && roomFeedEntry.event() instanceof SimulationEvent.LineSpoken)
        .toList();
  }

  void listen(RoomStreamQueue roomStreamQueue) {
    listeners.add(roomStreamQueue);
  }

  void unsubscribe(RoomStreamQueue roomStreamQueue) {
    listeners.remove(roomStreamQueue);
  }

  void closeAll() {
    listeners.forEach(RoomStreamQueue::close);
  }
}
