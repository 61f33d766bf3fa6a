package io.convoke.server.platform.daily;

import io.convoke.server.platform.daily.DailyEvent.MeetingEnded;
import io.convoke.server.platform.daily.DailyEvent.MeetingStarted;
import io.convoke.server.platform.daily.DailyEvent.ParticipantJoined;
import io.convoke.server.platform.daily.DailyEvent.ParticipantLeft;
import io.convoke.server.platform.daily.DailyEvent.Ping;
import io.convoke.server.platform.daily.DailyEvent.Unneeded;
import io.convoke.server.platform.daily.DailyEvent.Unreadable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import tools.jackson.core.JacksonException;

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

  /** How long after its own event an end may lie: clocks differ, but no leave is told before. */
  private static final Duration AHEAD = Duration.ofHours(1);

  private DailyEvents() {}

  /** The event in a body; {@code receivedAt} stands in for a missing time. */
  public static DailyEvent parse(byte[] body, Instant receivedAt) {
    Optional<DailyFields> read;
    try {
      read = DailyFields.read(body);
    } catch (JacksonException notJson) {
      return new Unreadable("not JSON");
    }
    if (read.isEmpty()) {
      return new Unreadable("not a JSON object");
    }
    DailyFields fields = read.get();
    Optional<String> type = fields.text("type");
    if (type.isEmpty()) {
      return fields.has("test") ? new Ping() : new Unreadable("no type");
    }
    String id = fields.text("id").orElseGet(() -> UUID.nameUUIDFromBytes(body).toString());
    Instant at = fields.time("event_ts").orElse(receivedAt);
    return switch (type.get()) {
      case "participant.joined" -> joined(id, fields, at);
      case "participant.left" -> left(id, fields, at);
      case "meeting.started" ->
          room(fields)
              .<DailyEvent>map(
                  room -> new MeetingStarted(id, room, fields.time("start_ts").orElse(at)))
              .orElseGet(() -> new Unreadable("meeting.started without a room"));
      case "meeting.ended" ->
          room(fields)
              .<DailyEvent>map(room -> new MeetingEnded(id, room, fields.time("end_ts").orElse(at)))
              .orElseGet(() -> new Unreadable("meeting.ended without a room"));
      case "recording.started", "recording.ready-to-download", "recording.error" ->
          new DailyEvent.Recording(id);
      default ->
          UNNEEDED.stream().anyMatch(type.get()::startsWith)
              ? new Unneeded(id, type.get())
              : new Unreadable("unknown type");
    };
  }

  private static DailyEvent joined(String id, DailyFields fields, Instant at) {
    Optional<String> room = room(fields);
    Optional<String> session = fields.text("session_id");
    if (room.isEmpty() || session.isEmpty()) {
      return new Unreadable("participant.joined without room or session_id");
    }
    return new ParticipantJoined(
        id,
        room.get(),
        session.get(),
        fields.text("user_id"),
        fields.text("user_name"),
        fields.time("joined_at").orElse(at),
        hidden(fields));
  }

  /**
   * Left at {@code joined_at + duration}, because the event may be made much later; where one of
   * the two is missing or makes no sense, at the time of the event.
   */
  private static DailyEvent left(String id, DailyFields fields, Instant at) {
    Optional<String> room = room(fields);
    Optional<String> session = fields.text("session_id");
    if (room.isEmpty() || session.isEmpty()) {
      return new Unreadable("participant.left without room or session_id");
    }
    Optional<Instant> joinedAt = fields.time("joined_at");
    OptionalDouble duration = fields.number("duration");
    Instant leftAt =
        joinedAt
            .filter(joined -> duration.isPresent() && sane(duration.getAsDouble()))
            .map(joined -> joined.plusMillis(Math.round(duration.getAsDouble() * 1000)))
            .filter(end -> !end.isAfter(at.plus(AHEAD)))
            .orElse(at);
    return new ParticipantLeft(
        id,
        room.get(),
        session.get(),
        fields.text("user_id"),
        fields.text("user_name"),
        joinedAt,
        leftAt,
        hidden(fields));
  }

  /** A visit of less than a year that does not end before it began. */
  private static boolean sane(double seconds) {
    return seconds >= 0 && seconds < 31_536_000;
  }

  private static boolean hidden(DailyFields fields) {
    return fields.flag("hasPresence").map(visible -> !visible).orElse(false);
  }

  private static Optional<String> room(DailyFields fields) {
    return fields.text("room").or(() -> fields.text("room_name"));
  }
}
