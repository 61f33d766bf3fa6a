package io.convoke.server.platform.janus;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.PresenceEvent.PresenceEventKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Parses what Janus' event handlers post: an event, or an array of events, of which presence needs
 * four of the VideoRoom plugin: {@code joined}, {@code leaving}, {@code kicked} and {@code
 * destroyed}. Never throws.
 *
 * <p>Events have no id, so theirs is computed from the server's name, the time in microseconds and
 * what happened; a repeated post gives the same ids.
 */
public final class JanusEventParser {

  /** The type of events that plugins make. Source: Janus' documentation of event handlers. */
  private static final int PLUGIN_EVENT = 64;

  /** Maximum time by which an event may be ahead of our clock. */
  private static final Duration AHEAD = Duration.ofHours(1);

  private JanusEventParser() {}

  /** A parsed post. */
  public sealed interface JanusPost {
    /** The events for presence, of which there may be none. */
    record JanusEventsRead(List<PresenceEvent> events) implements JanusPost {
      public JanusEventsRead {
        events = List.copyOf(events);
      }
    }

    /** Authentic but not parseable. */
    record UnreadablePost(String reason) implements JanusPost {}
  }

  /** Parses a body; {@code receivedAt} stands in for a missing time. */
  public static JanusPost parse(byte[] body, Instant receivedAt) {
    JsonNode json;
    try {
      json = Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return new JanusPost.UnreadablePost("not JSON");
    }
    if (!json.isObject() && !json.isArray()) {
      return new JanusPost.UnreadablePost("neither an event nor an array of events");
    }
    List<PresenceEvent> events = new ArrayList<>();
    for (JsonNode event : json.isArray() ? json : List.of(json)) {
      JsonNode data = event.path("event").path("data");
      if (event.path("type").asInt(0) == PLUGIN_EVENT
          && event.path("event").path("plugin").asString("").equals(JanusAdmin.VIDEO_ROOM)
          && needed(data)) {
        Optional<PresenceEvent> read = event(event, data, receivedAt);
        if (read.isEmpty()) {
          return new JanusPost.UnreadablePost("an event without room or participant");
        }
        events.add(read.get());
      }
    }
    return new JanusPost.JanusEventsRead(events);
  }

  private static boolean needed(JsonNode data) {
    return List.of("joined", "leaving", "kicked", "destroyed")
        .contains(data.path("event").asString(""));
  }

  private static Optional<PresenceEvent> event(JsonNode event, JsonNode data, Instant receivedAt) {
    String what = data.path("event").asString("");
    Instant at = at(event, receivedAt);
    String room = JanusAdmin.id(data.path("room"));
    String participant = JanusAdmin.id(data.path("id"));
    String id =
        UUID.nameUUIDFromBytes(
                String.join(
                        "\n",
                        event.path("emitter").asString(""),
                        event.path("timestamp").asString(""),
                        what,
                        room,
                        participant)
                    .getBytes(StandardCharsets.UTF_8))
            .toString();
    if (room.isEmpty()) {
      return Optional.empty();
    }
    if (what.equals("destroyed")) {
      return Optional.of(PresenceEvent.ofMeeting(id, PresenceEventKind.ENDED, room, at, false));
    }
    boolean joined = what.equals("joined");
    return participant.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PresenceEvent(
                id,
                joined ? PresenceEventKind.JOINED : PresenceEventKind.LEFT,
                room,
                participant,
                Optional.empty(),
                JanusAdmin.display(data),
                joined ? Optional.of(at) : Optional.empty(),
                at,
                false,
                false));
  }

  /** The time in microseconds, as milliseconds, because that is what Redis keeps. */
  private static Instant at(JsonNode event, Instant receivedAt) {
    long micros = event.path("timestamp").asLong(0);
    Instant at = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS);
    return micros <= 0 || at.isAfter(receivedAt.plus(AHEAD)) ? receivedAt : at;
  }
}
