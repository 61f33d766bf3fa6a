package io.convoke.lab.sim.room;

import io.convoke.lab.sim.world.WorldEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** One feed per room. */
final class Feeds implements Consumer<WorldEvent> {

  private final Map<String, Feed> feeds = new ConcurrentHashMap<>();

  @Override
  public void accept(WorldEvent event) {
    of(event.room()).add(event);
  }

  Feed of(String room) {
    return feeds.computeIfAbsent(room, name -> new Feed());
  }

  void closeAll() {
    feeds.values().forEach(Feed::closeAll);
  }
}
