package io.convoke.server.platform.daily;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.PresenceEvent.PresenceEventKind;
import io.convoke.server.platform.PresenceEvent.WaitingChange;
import io.convoke.server.platform.daily.ParsedWebhook.IgnoredWebhook;
import io.convoke.server.platform.daily.ParsedWebhook.PresenceWebhook;
import io.convoke.server.platform.daily.ParsedWebhook.RecordingWebhookReceived;
import io.convoke.server.platform.daily.ParsedWebhook.UnreadableWebhook;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Parses webhook bodies. Never throws: a signed body that cannot be parsed is {@link
 * UnreadableWebhook}, because error responses would open Daily's circuit breaker and stop all
 * events.
 */
public final class DailyWebhookParser {

  /** Event types that are ignored. */
  private static final List<String> UNNEEDED =
      List.of(
          "recording.",
          "transcript.",
          "streaming.",
          "batch-processor.",
          "dialin.",
          "dialout.",
          "calltransfer.");

  /** Maximum time by which a computed leave may be later than its event, for clock skew. */
  private static final Duration AHEAD = Duration.ofHours(1);

  private DailyWebhookParser() {}

  /** Parses a body; {@code receivedAt} stands in for a missing time. */
  public static ParsedWebhook parse(byte[] body, Instant receivedAt) {
    JsonNode json;
    try {
      json = Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return new UnreadableWebhook("not JSON");
    }
    if (!json.isObject()) {
      return new UnreadableWebhook("not a JSON object");
    }
    Optional<String> type = DailyValueParser.text(json, "type");
    if (type.isEmpty()) {
      return json.has("test") ? new IgnoredWebhook("ping") : new UnreadableWebhook("no type");
    }
    String id =
        DailyValueParser.text(json, "id").orElseGet(() -> UUID.nameUUIDFromBytes(body).toString());
    Instant at = DailyValueParser.time(json, "event_ts").orElse(receivedAt);
    JsonNode payload = json.path("payload");
    return switch (type.get()) {
      case "participant.joined" ->
          participant(PresenceEventKind.JOINED, id, payload, at)
              .orElseGet(
                  () -> new UnreadableWebhook("participant.joined without room or session_id"));
      case "participant.left" ->
          participant(PresenceEventKind.LEFT, id, payload, at)
              .orElseGet(
                  () -> new UnreadableWebhook("participant.left without room or session_id"));
      case "waiting-participant.joined" -> waiting(WaitingChange.WAITING, id, payload, at);
      case "waiting-participant.left" -> waiting(WaitingChange.WAITING_LEFT, id, payload, at);
      case "meeting.started" ->
          meeting(
                  PresenceEventKind.STARTED,
                  id,
                  payload,
                  DailyValueParser.time(payload, "start_ts").orElse(at))
              .orElseGet(() -> new UnreadableWebhook("meeting.started without a room"));
      case "meeting.ended" ->
          meeting(
                  PresenceEventKind.ENDED,
                  id,
                  payload,
                  DailyValueParser.time(payload, "end_ts").orElse(at))
              .orElseGet(() -> new UnreadableWebhook("meeting.ended without a room"));
      case "recording.started", "recording.ready-to-download", "recording.error" ->
          new RecordingWebhookReceived();
      default ->
          UNNEEDED.stream().anyMatch(type.get()::startsWith)
              ? new IgnoredWebhook("unneeded")
              : new UnreadableWebhook("unknown type");
    };
  }

  private static Optional<ParsedWebhook> participant(
      PresenceEventKind presenceEventKind, String id, JsonNode payload, Instant at) {
    Optional<Instant> joinedAt = DailyValueParser.time(payload, "joined_at");
    Instant joined = joinedAt.orElse(at);
    boolean join = presenceEventKind == PresenceEventKind.JOINED;
    JsonNode hasPresence = payload.at("/permissions/hasPresence");
    return room(payload)
        .flatMap(
            room ->
                DailyValueParser.text(payload, "session_id")
                    .map(
                        session ->
                            new PresenceEvent(
                                id,
                                presenceEventKind,
                                room,
                                session,
                                DailyValueParser.text(payload, "user_id"),
                                DailyValueParser.text(payload, "user_name"),
                                join ? Optional.of(joined) : joinedAt,
                                join ? joined : leftAt(payload, joinedAt, at),
                                hasPresence.isBoolean() && !hasPresence.booleanValue(),
                                false)))
        .map(PresenceWebhook::new);
  }

  private static ParsedWebhook waiting(
      WaitingChange waitingChange, String id, JsonNode payload, Instant at) {
    Optional<Instant> joinedAt = DailyValueParser.time(payload, "joined_at");
    Instant when =
        switch (waitingChange) {
          case WAITING -> joinedAt.orElse(at);
          case WAITING_LEFT -> leftAt(payload, joinedAt, at);
        };
    return room(payload)
        .flatMap(
            room ->
                DailyValueParser.text(payload, "session_id")
                    .<ParsedWebhook>map(
                        session ->
                            new PresenceWebhook(
                                new PresenceEvent(
                                    id,
                                    PresenceEventKind.STARTED,
                                    room,
                                    session,
                                    DailyValueParser.text(payload, "user_id"),
                                    DailyValueParser.text(payload, "user_name"),
                                    Optional.empty(),
                                    when,
                                    false,
                                    false,
                                    Optional.of(waitingChange)))))
        .orElseGet(() -> new UnreadableWebhook("waiting-participant without room or session_id"));
  }

  /**
   * The time of the leave: {@code joined_at + duration}, because Daily may create the event much
   * later; if one of them is missing or invalid, the time of the event.
   */
  private static Instant leftAt(JsonNode payload, Optional<Instant> joinedAt, Instant at) {
    double duration = DailyValueParser.number(payload, "duration").orElse(-1);
    return joinedAt
        .filter(_ -> duration >= 0)
        .map(joined -> joined.plusMillis(Math.round(duration * 1000)))
        .filter(end -> !end.isAfter(at.plus(AHEAD)))
        .orElse(at);
  }

  private static Optional<ParsedWebhook> meeting(
      PresenceEventKind presenceEventKind, String id, JsonNode payload, Instant at) {
    return room(payload)
        .map(
            room ->
                new PresenceWebhook(
                    PresenceEvent.ofMeeting(id, presenceEventKind, room, at, false)));
  }

  private static Optional<String> room(JsonNode payload) {
    return DailyValueParser.text(payload, "room")
        .or(() -> DailyValueParser.text(payload, "room_name"));
  }
}
