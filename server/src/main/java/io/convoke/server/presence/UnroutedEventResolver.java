package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.server.platform.PresenceEvent;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Drains the list of unrouted events in Redis: looks up rooms that were missing in the map in
 * Postgres, because the meeting may be newer than the map. Events without a live meeting become
 * dead letters.
 */
final class UnroutedEventResolver {
  private static final int BATCH = 200;
  private static final Duration LOCK = Duration.ofSeconds(15);

  private final Redis redis;
  private final PlatformKeys keys;
  private final MeetingQueries meetings;
  private final RoomMap rooms;
  private final WebhookBuffer buffer;
  private final WebhookDeadLetterStore deadLetterStore;

  UnroutedEventResolver(
      Redis redis,
      MeetingQueries meetings,
      RoomMap rooms,
      WebhookBuffer buffer,
      WebhookDeadLetterStore deadLetterStore,
      PlatformKeys keys) {
    this.redis = redis;
    this.keys = keys;
    this.meetings = meetings;
    this.rooms = rooms;
    this.buffer = buffer;
    this.deadLetterStore = deadLetterStore;
  }

  /** Drains the list unless another node does; false when the map is incomplete. */
  boolean drain() {
    if (!rooms.known()) {
      return false;
    }
    if (!lock()) {
      return true;
    }
    try {
      List<String> waiting = next();
      while (!waiting.isEmpty()) {
        int taken = waiting.size();
        route(waiting);
        String _ =
            redis.call(commands -> commands.ltrim(keys.of(PresenceKeys.UNROUTED), taken, -1));
        waiting = next();
      }
      return true;
    } finally {
      long _ = redis.call(commands -> commands.del(keys.of(PresenceKeys.UNROUTED_LOCK)));
    }
  }

  /** Routes entries; an event has an {@code event_id}, a dead letter has none. */
  private void route(List<String> waiting) {
    List<PresenceEvent> events = new ArrayList<>();
    List<DeadLetter> deadLetters = new ArrayList<>();
    for (String text : waiting) {
      try {
        JsonNode json = Json.read(text);
        if (json.has("event_id")) {
          events.add(Json.read(json, PresenceEvent.class));
        } else {
          deadLetters.add(Json.read(json, DeadLetter.class));
        }
      } catch (JacksonException unreadable) {
        deadLetters.add(new DeadLetter("unreadable in Redis", text));
      }
    }
    Map<String, List<PresenceMeeting>> found = byRoom(events);
    rooms.add(found.values().stream().flatMap(List::stream).map(PresenceMeeting::entry).toList());
    List<PresenceEvent> routed =
        events.stream().filter(event -> found.containsKey(event.room())).toList();
    if (!routed.isEmpty()) {
      buffer.acceptAgain(routed);
    }
    events.stream()
        .filter(event -> !found.containsKey(event.room()))
        .forEach(event -> deadLetters.add(DeadLetter.unknownRoom(event)));
    deadLetterStore.add(deadLetters);
  }

  /** The live meetings of each room in the events. */
  Map<String, List<PresenceMeeting>> byRoom(List<PresenceEvent> events) {
    Set<String> names = new LinkedHashSet<>();
    events.forEach(event -> names.add(event.room()));
    Map<String, List<PresenceMeeting>> found = new HashMap<>();
    if (!names.isEmpty()) {
      for (PresenceMeeting presenceMeeting : meetings.inRooms(keys.platform(), names)) {
        found
            .computeIfAbsent(presenceMeeting.room(), room -> new ArrayList<>())
            .add(presenceMeeting);
      }
    }
    return found;
  }

  private List<String> next() {
    return redis.call(commands -> commands.lrange(keys.of(PresenceKeys.UNROUTED), 0, BATCH - 1));
  }

  private boolean lock() {
    String answer =
        redis.call(
            commands ->
                commands.set(
                    keys.of(PresenceKeys.UNROUTED_LOCK),
                    "1",
                    SetArgs.Builder.nx().px(LOCK.toMillis())));
    return "OK".equals(answer);
  }
}
