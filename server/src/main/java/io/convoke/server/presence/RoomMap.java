package io.convoke.server.presence;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.Script;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which active meetings a room has, in Redis, so that a webhook needs no database. Postgres is the
 * truth of it: the map follows the journal, is compared each tick and rebuilt after a flush.
 */
final class RoomMap {
  private static final Script ROOMS = Script.resource(RoomMap.class, "rooms.lua");
  private static final int BATCH = 300;

  private final Redis redis;

  RoomMap(Redis redis) {
    this.redis = redis;
  }

  /** A meeting and its room. */
  record Entry(String room, long meeting) {}

  void add(Collection<Entry> entries) {
    change("+", entries);
  }

  /** Takes meetings out, with their flags, evidence and places in the queue. */
  void remove(Collection<Entry> entries) {
    change("-", entries);
  }

  /**
   * Makes the map say what Postgres says; answers the meetings that it did not know.
   *
   * @param present what {@link #read} answered before Postgres was asked, so that a meeting which
   *     began meanwhile is not taken out again
   */
  List<Long> sync(Set<Entry> present, Collection<Entry> active) {
    Set<Entry> wanted = new HashSet<>(active);
    List<Entry> missing = wanted.stream().filter(entry -> !present.contains(entry)).toList();
    add(missing);
    remove(present.stream().filter(entry -> !wanted.contains(entry)).toList());
    return missing.stream().map(Entry::meeting).toList();
  }

  Set<Entry> read() {
    Map<String, String> rooms = redis.call(commands -> commands.hgetall(Keys.ROOMS));
    Set<Entry> entries = new HashSet<>();
    rooms.forEach(
        (room, meetings) -> {
          for (String meeting : List.of(meetings.split(",", -1))) {
            entries.add(new Entry(room, Long.parseLong(meeting)));
          }
        });
    return entries;
  }

  /** True once the map is whole; false after a flush. */
  boolean known() {
    return redis.call(commands -> commands.exists(Keys.GENERATION)) == 1;
  }

  void declareWhole(String generation) {
    String _ = redis.call(commands -> commands.set(Keys.GENERATION, generation));
  }

  private void change(String operation, Collection<Entry> entries) {
    List<Entry> all = List.copyOf(entries);
    for (int from = 0; from < all.size(); from += BATCH) {
      List<String> args = new ArrayList<>();
      for (Entry entry : all.subList(from, Math.min(all.size(), from + BATCH))) {
        args.addAll(List.of(operation, entry.room(), Long.toString(entry.meeting())));
      }
      Object _ = redis.eval(ROOMS, List.of(Keys.ROOMS, Keys.READY), args);
    }
  }
}
