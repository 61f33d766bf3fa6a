package io.convoke.server.simulator;

import io.convoke.server.http.Problem;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * The simulator's state that is compared with the stored rows.
 *
 * @param at time of the state
 * @param stays all sessions, also those not visible in presence
 * @param recordings finished recordings
 * @param lost participant webhooks that were not delivered
 */
record SimulatorState(
    Instant at,
    List<SimulatedSession> stays,
    List<FinishedRecording> recordings,
    List<LostWebhook> lost) {

  /** One session; {@code visible} if presence lists it. */
  record SimulatedSession(
      String sessionId,
      String room,
      String name,
      boolean visible,
      Instant joinedAt,
      Optional<Instant> leftAt) {}

  /** A finished recording. */
  record FinishedRecording(String recordingId, String room, Instant endedAt) {}

  /** A webhook that was not delivered. */
  record LostWebhook(String type, String room, String sessionId, String fate, Instant at) {}

  /**
   * Parses the response of {@code GET /control/truth}.
   *
   * @throws Problem 503 if it cannot be parsed
   */
  static SimulatorState of(JsonNode truth) {
    try {
      return new SimulatorState(
          Instant.parse(truth.path("at").asString("")),
          truth.path("sessions").valueStream().map(SimulatorState::stay).toList(),
          each(truth.path("recordings"), SimulatorState::finished),
          each(truth.path("webhooks"), SimulatorState::lost));
    } catch (DateTimeParseException unreadable) {
      throw Problem.of(503, "simulator_unreadable", "Simulator state has an invalid timestamp.");
    }
  }

  private static <T> List<T> each(JsonNode items, Function<JsonNode, Optional<T>> read) {
    return items.valueStream().flatMap(item -> read.apply(item).stream()).toList();
  }

  private static SimulatedSession stay(JsonNode session) {
    return new SimulatedSession(
        text(session, "session_id"),
        text(session, "room"),
        session.path("user_name").asString("somebody"),
        session.path("has_presence").asBoolean(true),
        Instant.parse(text(session, "joined_at")),
        session.path("left_at").isString()
            ? Optional.of(Instant.parse(text(session, "left_at")))
            : Optional.empty());
  }

  private static Optional<FinishedRecording> finished(JsonNode recording) {
    boolean whole = text(recording, "type").equals("cloud");
    boolean finished = text(recording, "status").equals("finished");
    return whole && finished && recording.path("ended_at").isString()
        ? Optional.of(
            new FinishedRecording(
                text(recording, "recording_id"),
                text(recording, "room"),
                Instant.parse(text(recording, "ended_at"))))
        : Optional.empty();
  }

  private static Optional<LostWebhook> lost(JsonNode webhook) {
    boolean lost =
        switch (text(webhook, "fate")) {
          case "dropped", "failed", "suppressed" -> true;
          default -> false;
        };
    return lost && text(webhook, "type").startsWith("participant.")
        ? Optional.of(
            new LostWebhook(
                text(webhook, "type"),
                text(webhook, "room"),
                text(webhook, "session_id"),
                text(webhook, "fate"),
                Instant.parse(text(webhook, "event_at"))))
        : Optional.empty();
  }

  private static String text(JsonNode of, String field) {
    return of.path(field).asString("");
  }
}
