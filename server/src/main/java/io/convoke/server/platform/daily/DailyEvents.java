package io.convoke.server.platform.daily;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.daily.DailyEvent.MeetingEnded;
import io.convoke.server.platform.daily.DailyEvent.MeetingStarted;
import io.convoke.server.platform.daily.DailyEvent.ParticipantJoined;
import io.convoke.server.platform.daily.DailyEvent.ParticipantLeft;
import io.convoke.server.platform.daily.DailyEvent.Ping;
import io.convoke.server.platform.daily.DailyEvent.Unneeded;
import io.convoke.server.platform.daily.DailyEvent.Unreadable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reads webhook bodies. Total: every sequence of bytes becomes an event, and a body that is signed
 * but makes no sense becomes {@link Unreadable}, because an error answer would open Daily's circuit
 * breaker and stop all events.
 */
public final class DailyEvents {

  /** Types that need no action here; Daily adds to them now and then. */
  private static final List<String> UNNEEDED =
      List.of(
          "waiting-participant.",
          "recording.",
          "transcript.",
          "streaming.",
          "batch-processor.",
          "dialin.",
          "dialout.",
          "calltransfer.");

  /** Above this a number of time counts milliseconds. */
  private static final double MILLISECONDS_FROM = 1e11;

  /** How far the time of an event may be from the end that its duration tells. */
  private static final Duration AGREEMENT = Duration.ofSeconds(2);

  /** Longest text kept; a name beyond it is cut. */
  private static final int MAX_TEXT = 500;

  private DailyEvents() {}

  /** The event in a body; {@code receivedAt} stands in for a missing time. */
  public static DailyEvent parse(byte[] body, Instant receivedAt) {
    JsonNode json;
    try {
      json = Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return new Unreadable("not JSON");
    }
    if (!json.isObject()) {
      return new Unreadable("not a JSON object");
    }
    Optional<String> type = text(json, "type");
    if (type.isEmpty()) {
      return json.has("test") ? new Ping() : new Unreadable("no type");
    }
    String id = text(json, "id").orElseGet(() -> UUID.nameUUIDFromBytes(body).toString());
    JsonNode payload = json.path("payload");
    Optional<Instant> sentAt = time(json, "event_ts");
    Instant at = sentAt.orElse(receivedAt);
    return switch (type.get()) {
      case "participant.joined" -> joined(id, payload, at);
      case "participant.left" -> left(id, payload, sentAt, at);
      case "meeting.started" ->
          room(payload)
              .<DailyEvent>map(
                  room -> new MeetingStarted(id, room, time(payload, "start_ts").orElse(at)))
              .orElseGet(() -> new Unreadable("meeting.started without a room"));
      case "meeting.ended" ->
          room(payload)
              .<DailyEvent>map(
                  room -> new MeetingEnded(id, room, time(payload, "end_ts").orElse(at)))
              .orElseGet(() -> new Unreadable("meeting.ended without a room"));
      default ->
          UNNEEDED.stream().anyMatch(type.get()::startsWith)
              ? new Unneeded(id, type.get())
              : new Unreadable("unknown type");
    };
  }

  private static DailyEvent joined(String id, JsonNode payload, Instant at) {
    Optional<String> room = room(payload);
    Optional<String> session = text(payload, "session_id");
    if (room.isEmpty() || session.isEmpty()) {
      return new Unreadable("participant.joined without room or session_id");
    }
    return new ParticipantJoined(
        id,
        room.get(),
        session.get(),
        text(payload, "user_id"),
        text(payload, "user_name"),
        time(payload, "joined_at").orElse(at),
        hidden(payload));
  }

  /**
   * Left at {@code joined_at + duration}; the duration may be whole seconds, so the event's own
   * time is taken where it agrees with it.
   */
  private static DailyEvent left(
      String id, JsonNode payload, Optional<Instant> sentAt, Instant at) {
    Optional<String> room = room(payload);
    Optional<String> session = text(payload, "session_id");
    if (room.isEmpty() || session.isEmpty()) {
      return new Unreadable("participant.left without room or session_id");
    }
    Optional<Instant> joinedAt = time(payload, "joined_at");
    JsonNode duration = payload.path("duration");
    Instant leftAt =
        joinedAt
            .filter(joined -> duration.isNumber() && sane(duration.asDouble()))
            .map(joined -> joined.plusMillis(Math.round(duration.asDouble() * 1000)))
            .map(end -> sentAt.filter(sent -> agrees(sent, end)).orElse(end))
            .orElse(at);
    return new ParticipantLeft(
        id,
        room.get(),
        session.get(),
        text(payload, "user_id"),
        text(payload, "user_name"),
        joinedAt,
        leftAt,
        hidden(payload));
  }

  /** A visit of less than a year that does not end before it began. */
  private static boolean sane(double seconds) {
    return seconds >= 0 && seconds < 31_536_000;
  }

  private static boolean agrees(Instant sent, Instant end) {
    return Duration.between(sent, end).abs().compareTo(AGREEMENT) <= 0;
  }

  private static boolean hidden(JsonNode payload) {
    JsonNode hasPresence = payload.path("permissions").path("hasPresence");
    return hasPresence.isBoolean() && !hasPresence.asBoolean();
  }

  private static Optional<String> room(JsonNode payload) {
    return text(payload, "room").or(() -> text(payload, "room_name"));
  }

  /** A text without NUL, which Postgres cannot store. */
  static Optional<String> text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isString()) {
      return Optional.empty();
    }
    String text = value.asString().replace("\0", "").strip();
    return Optional.of(text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text)
        .filter(it -> !it.isEmpty());
  }

  /** Seconds, milliseconds or RFC 3339. */
  static Optional<Instant> time(JsonNode node, String field) {
    JsonNode value = node.path(field);
    try {
      if (value.isNumber()) {
        double number = value.asDouble();
        double millis = number > MILLISECONDS_FROM ? number : number * 1000;
        boolean plausible = millis > 0 && millis < 4e12;
        return plausible ? Optional.of(Instant.ofEpochMilli(Math.round(millis))) : Optional.empty();
      }
      return text(node, field).map(Instant::parse);
    } catch (DateTimeException notTime) {
      return Optional.empty();
    }
  }
}
