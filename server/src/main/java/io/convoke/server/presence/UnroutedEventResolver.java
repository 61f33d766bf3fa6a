package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.platform.PresenceEvent;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Drains the list of unrouted events in Redis: looks up rooms that were missing in the map in
 * Postgres, because the meeting may be newer than the map. A visit to a room with a rule begins a
 * meeting. Events without a live meeting become dead letters.
 */
final class UnroutedEventResolver {
  private static final int BATCH = 200;
  private static final Duration LOCK = Duration.ofSeconds(15);
  private static final LuaScript TAKEN =
      LuaScript.resource(UnroutedEventResolver.class, "unrouted_taken.lua");

  private final Redis redis;
  private final PlatformKeys keys;
  private final MeetingQueries meetings;
  private final RoomTracking tracking;
  private final RoomMap rooms;
  private final WebhookBuffer buffer;
  private final WebhookDeadLetterStore deadLetterStore;

  UnroutedEventResolver(
      Redis redis,
      MeetingQueries meetings,
      RoomTracking tracking,
      RoomMap rooms,
      WebhookBuffer buffer,
      WebhookDeadLetterStore deadLetterStore,
      PlatformKeys keys) {
    this.redis = redis;
    this.keys = keys;
    this.meetings = meetings;
    this.tracking = tracking;
    this.rooms = rooms;
    this.buffer = buffer;
    this.deadLetterStore = deadLetterStore;
  }

  /** Drains the list unless another node does; false when the map is incomplete. */
  boolean drain() {
    if (!rooms.known()) {
      return false;
    }
    String holder = UUID.randomUUID().toString();
    if (!lock(holder)) {
      return true;
    }
    try {
      List<String> waiting = next();
      while (!waiting.isEmpty()) {
        route(waiting);
        waiting = taken(holder, waiting.size(), LOCK) ? next() : List.of();
      }
      return true;
    } finally {
      boolean _ = taken(holder, 0, Duration.ZERO);
    }
  }

  /**
   * Removes the first entries and keeps the lock for this long; false without a change if the lock
   * is another drain's, which routes these entries too: each event counts once by its id.
   */
  private boolean taken(String holder, int entries, Duration lock) {
    Object kept =
        redis.eval(
            TAKEN,
            List.of(keys.of(PresenceKeys.UNROUTED_LOCK), keys.of(PresenceKeys.UNROUTED)),
            List.of(holder, Integer.toString(entries), Long.toString(lock.toMillis())));
    return Long.valueOf(1).equals(kept);
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

  /** The live meetings of each room in the events, those included that the events begin. */
  Map<String, List<PresenceMeeting>> byRoom(List<PresenceEvent> events) {
    Set<String> names = new LinkedHashSet<>();
    events.forEach(event -> names.add(event.room()));
    Map<String, List<PresenceMeeting>> found = liveIn(names);
    List<RoomTracking.RoomVisit> visits =
        events.stream()
            .filter(event -> !found.containsKey(event.room()))
            .flatMap(event -> visit(event).stream())
            .toList();
    found.putAll(liveIn(tracking.track(keys.platform(), visits, RoomTracking.VisitSource.EVENTS)));
    return found;
  }

  /** A leave tells of a visit as a join does, which may arrive after it. */
  private static Optional<RoomTracking.RoomVisit> visit(PresenceEvent event) {
    return switch (event.kind()) {
      case JOINED, LEFT ->
          event
              .joinedAt()
              .map(
                  joinedAt ->
                      new RoomTracking.RoomVisit(
                          event.room(), event.sessionId(), joinedAt, Optional.empty()));
      case STARTED, ENDED -> Optional.empty();
    };
  }

  private Map<String, List<PresenceMeeting>> liveIn(Set<String> names) {
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

  private boolean lock(String holder) {
    String answer =
        redis.call(
            commands ->
                commands.set(
                    keys.of(PresenceKeys.UNROUTED_LOCK),
                    holder,
                    SetArgs.Builder.nx().px(LOCK.toMillis())));
    return "OK".equals(answer);
  }
}
