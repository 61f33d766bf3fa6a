package io.convoke.agent;

import io.convoke.agent.room.RoomEvent;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads participant events of a simulated room. */
final class RoomEventParser {
  private RoomEventParser() {}

  /** Empty when the event is about something else. */
  static Optional<ParticipantEvent> sighting(RoomEvent event, Instant now) {
    return switch (event.name()) {
      case "snapshot" -> {
        List<Attendee> people = new ArrayList<>();
        event.data().path("participants").forEach(person -> people.add(attendee(person, now)));
        yield event.text("state").equals("waiting")
            ? Optional.empty()
            : Optional.of(new ParticipantEvent.ParticipantSnapshot(people, now));
      }
      case "participant-joined" ->
          Optional.of(new ParticipantEvent.ParticipantJoined(attendee(event.data(), now)));
      case "participant-left" ->
          Optional.of(
              new ParticipantEvent.ParticipantLeft(
                  event.text("session_id"), time(event.data(), "at", now)));
      default -> Optional.empty();
    };
  }

  private static Attendee attendee(JsonNode person, Instant now) {
    return new Attendee(
        person.path("session_id").asString(""),
        text(person, "user_id"),
        text(person, "user_name"),
        time(person, "joined_at", now));
  }

  private static Optional<String> text(JsonNode node, String field) {
    return Optional.of(node.path(field).asString("")).filter(text -> !text.isEmpty());
  }

  private static Instant time(JsonNode node, String field, Instant otherwise) {
    try {
      return Instant.parse(node.path(field).asString(""));
    } catch (DateTimeParseException e) {
      return otherwise;
    }
  }
}
