package io.convoke.simulator.room;

import io.convoke.simulator.state.SimulationEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** One feed per room. */
final class RoomFeeds implements Consumer<SimulationEvent> {

  private final Map<String, RoomFeed> feeds = new ConcurrentHashMap<>();

  @Override
  public void accept(SimulationEvent event) {
    of(event.room()).add(event);
  }

  RoomFeed of(String room) {
    return feeds.computeIfAbsent(room, name -> new RoomFeed());
  }

  void closeAll() {
    feeds.values().forEach(RoomFeed::closeAll);
  }
}
