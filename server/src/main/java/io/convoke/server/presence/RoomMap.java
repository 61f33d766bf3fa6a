package io.convoke.server.presence;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The active meetings of each room, in Redis, so that a webhook needs no query to Postgres.
 * Postgres is the source of truth: the map is updated from the journal, compared each tick and
 * rebuilt after a flush.
 */
final class RoomMap {
  private static final LuaScript ROOMS = LuaScript.resource(RoomMap.class, "rooms.lua");
  private static final int BATCH = 300;

  private final Redis redis;
  private final PlatformKeys keys;

  RoomMap(Redis redis, PlatformKeys keys) {
    this.redis = redis;
    this.keys = keys;
  }

  /** A meeting and its room. */
  record RoomMapEntry(String room, long meeting) {}

  void add(Collection<RoomMapEntry> entries) {
    change("+", entries);
  }

  /** Removes meetings, with their flags, pending events and queue entries. */
  void remove(Collection<RoomMapEntry> entries) {
    change("-", entries);
  }

  /**
   * Updates the map to match Postgres; returns the meetings that were missing.
   *
   * @param present the result of {@link #read} from before the query to Postgres, so that a meeting
   *     which began meanwhile is not removed
   */
  List<Long> sync(Set<RoomMapEntry> present, Collection<RoomMapEntry> active) {
    Set<RoomMapEntry> wanted = new HashSet<>(active);
    List<RoomMapEntry> missing =
        wanted.stream().filter(roomMapEntry -> !present.contains(roomMapEntry)).toList();
    add(missing);
    remove(present.stream().filter(roomMapEntry -> !wanted.contains(roomMapEntry)).toList());
    return missing.stream().map(RoomMapEntry::meeting).toList();
  }

  Set<RoomMapEntry> read() {
    Map<String, String> rooms =
        redis.call(commands -> commands.hgetall(keys.of(PresenceKeys.ROOMS)));
    Set<RoomMapEntry> entries = new HashSet<>();
    rooms.forEach(
        (room, meetings) -> {
          for (String meeting : List.of(meetings.split(",", -1))) {
            entries.add(new RoomMapEntry(room, Long.parseLong(meeting)));
          }
        });
    return entries;
  }

  /** True if the map is complete; false after a flush. */
  boolean known() {
    return redis.call(commands -> commands.exists(keys.of(PresenceKeys.GENERATION))) == 1;
  }

  void declareWhole(String generation) {
    String _ = redis.call(commands -> commands.set(keys.of(PresenceKeys.GENERATION), generation));
  }

  private void change(String operation, Collection<RoomMapEntry> entries) {
    List<RoomMapEntry> all = List.copyOf(entries);
    for (int from = 0; from < all.size(); from += BATCH) {
      List<String> args = new ArrayList<>();
      for (RoomMapEntry roomMapEntry : all.subList(from, Math.min(all.size(), from + BATCH))) {
        args.addAll(List.of(operation, roomMapEntry.room(), Long.toString(roomMapEntry.meeting())));
      }
      Object _ =
          redis.eval(
              ROOMS, List.of(keys.of(PresenceKeys.ROOMS), keys.of(PresenceKeys.READY)), args);
    }
  }
}
