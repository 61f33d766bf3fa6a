package io.convoke.simulator.state;

import io.convoke.simulator.time.SeededRandom;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** All rooms by name, in order of creation. Guarded by the world's lock. */
final class RoomRegistry {

  private final Map<String, RoomState> rooms = new LinkedHashMap<>();
  private final SeededRandom seededRandom;
  private final Consumer<SimulationEvent> tell;
  private final Map<String, RoomCounters> counts = new HashMap<>();
  private long created;

  /**
   * What was counted under a room's name. It outlives the room, because sessions and meetings of
   * another room of that name must not get the ids of these.
   */
  static final class RoomCounters {
    final Map<String, Integer> visits = new HashMap<>();
    int meetings;
  }

  RoomRegistry(SeededRandom seededRandom, Consumer<SimulationEvent> tell) {
    this.seededRandom = seededRandom;
    this.tell = tell;
  }

  Optional<RoomState> find(String name) {
    return Optional.ofNullable(rooms.get(name));
  }

  Collection<RoomState> all() {
    return rooms.values();
  }

  /** Absent if the name is taken. */
  Optional<Room> create(RoomRequest wanted, Instant now) {
    if (rooms.containsKey(wanted.name())) {
      return Optional.empty();
    }
    Room room =
        new Room(
            seededRandom.id("room", wanted.name() + "~" + ++created).toString(),
            wanted.name(),
            wanted.privacy(),
            wanted.apiCreated(),
            now,
            wanted.config(),
            wanted.lobby());
    rooms.put(
        room.name(),
        new RoomState(
            room,
            seededRandom,
            tell,
            counts.computeIfAbsent(room.name(), name -> new RoomCounters())));
    return Optional.of(room);
  }

  Optional<Room> update(String name, Optional<String> privacy, Map<String, Object> config) {
    Optional<RoomState> found = find(name);
    found.ifPresent(
        state -> {
          Room old = state.room();
          Map<String, Object> merged = new LinkedHashMap<>(old.config());
          merged.putAll(config);
          state.reconfigure(
              new Room(
                  old.id(),
                  old.name(),
                  privacy.orElse(old.privacy()),
                  old.apiCreated(),
                  old.createdAt(),
                  merged,
                  old.lobby()));
        });
    return found.map(RoomState::room);
  }

  boolean remove(String name) {
    return rooms.remove(name) != null;
  }
}
