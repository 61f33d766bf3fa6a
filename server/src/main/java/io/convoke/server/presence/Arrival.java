package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.daily.DailyEvent;
import io.convoke.server.presence.merge.Evidence;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What a signed body brings into Redis, or out of it again when nobody knew the room. */
sealed interface Arrival {

  /** Something that a meeting's worker can use. */
  record Witness(Evidence evidence) implements Arrival {}

  /** Authentic, kept for people. */
  record Letter(String reason, String body) implements Arrival {}

  /** Nothing to keep. */
  record Nothing(String why) implements Arrival {}

  /** Longest body that is kept of a letter, in characters. */
  int MAX_LETTER = 16_384;

  static Arrival of(DailyEvent event, byte[] body) {
    return switch (event) {
      case DailyEvent.ParticipantJoined e ->
          new Witness(
              new Evidence(
                  e.id(),
                  Evidence.Kind.JOINED,
                  e.room(),
                  e.sessionId(),
                  e.userId(),
                  e.userName(),
                  Optional.of(e.joinedAt()),
                  e.joinedAt(),
                  e.hidden()));
      case DailyEvent.ParticipantLeft e ->
          new Witness(
              new Evidence(
                  e.id(),
                  Evidence.Kind.LEFT,
                  e.room(),
                  e.sessionId(),
                  e.userId(),
                  e.userName(),
                  e.joinedAt(),
                  e.leftAt(),
                  e.hidden()));
      case DailyEvent.MeetingStarted e -> room(e.id(), Evidence.Kind.STARTED, e.room(), e.at());
      case DailyEvent.MeetingEnded e -> room(e.id(), Evidence.Kind.ENDED, e.room(), e.at());
      case DailyEvent.Recording _ -> new Nothing("recording");
      case DailyEvent.Ping ping -> new Nothing("ping");
      case DailyEvent.Unneeded unneeded -> new Nothing("unneeded");
      case DailyEvent.Unreadable unreadable -> {
        String text = new String(body, StandardCharsets.UTF_8).replace("\0", "");
        yield new Letter(
            unreadable.reason(), text.length() > MAX_LETTER ? text.substring(0, MAX_LETTER) : text);
      }
    };
  }

  private static Arrival room(String id, Evidence.Kind kind, String room, Instant at) {
    return new Witness(
        new Evidence(
            id, kind, room, "", Optional.empty(), Optional.empty(), Optional.empty(), at, false));
  }

  /** What was put aside in Redis: evidence has an event id, a letter has not. */
  static Arrival parse(String text) {
    try {
      JsonNode json = Json.read(text);
      return json.has("event_id")
          ? new Witness(EvidenceText.read(json))
          : Json.read(json, Letter.class);
    } catch (JacksonException unreadable) {
      return new Letter("unreadable in Redis", text);
    }
  }
}
