package io.convoke.server.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;

/** The JSON of events in Redis, which servers of different versions exchange. */
class PresenceEventTest {
  private static final Instant AT = Instant.ofEpochMilli(1772442000250L);

  /** As the versions before {@link PresenceEvent} wrote and read them. */
  private static final Map<String, PresenceEvent> TEXTS =
      Map.of(
          """
          {"event_id":"e1","kind":"JOINED","room":"standup","session_id":"s1","user_id":"u1",\
          "user_name":"Ada \\"A\\" Lovelace","joined_at":1772442000250,"at":1772442000250}""",
          new PresenceEvent(
              "e1",
              PresenceEvent.PresenceEventKind.JOINED,
              "standup",
              "s1",
              Optional.of("u1"),
              Optional.of("Ada \"A\" Lovelace"),
              Optional.of(AT),
              AT,
              false,
              false),
          """
          {"event_id":"e2","kind":"LEFT","room":"standup","session_id":"s1","at":1772442000250,\
          "hidden":true}""",
          new PresenceEvent(
              "e2",
              PresenceEvent.PresenceEventKind.LEFT,
              "standup",
              "s1",
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              AT,
              true,
              false),
          """
          {"event_id":"e3","kind":"ENDED","room":"standup","session_id":"","at":1772442000250}""",
          PresenceEvent.ofMeeting(
              "e3", PresenceEvent.PresenceEventKind.ENDED, "standup", AT, false),
          """
          {"event_id":"e4","kind":"STARTED","room":"standup","session_id":"s1",\
          "at":1772442000250,"waiting":"WAITING_LEFT"}""",
          new PresenceEvent(
              "e4",
              PresenceEvent.PresenceEventKind.STARTED,
              "standup",
              "s1",
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              AT,
              false,
              false,
              Optional.of(PresenceEvent.WaitingChange.WAITING_LEFT)));

  @Test
  void eventsOfOtherVersionsAreReadAndWrittenToTheByte() {
    TEXTS.forEach(
        (text, event) -> {
          assertThat(Json.read(text, PresenceEvent.class)).isEqualTo(event);
          assertThat(Json.write(event)).isEqualTo(text);
        });
  }

  @Test
  void anEventThatLacksAFieldIsRefused() {
    for (String text :
        new String[] {
          "{}",
          "{\"event_id\":\"e\",\"kind\":\"JOINED\",\"room\":\"r\",\"session_id\":\"s\"}",
          "{\"event_id\":\"e\",\"kind\":\"DANCED\",\"room\":\"r\",\"session_id\":\"s\",\"at\":1}"
        }) {
      assertThatThrownBy(() -> Json.read(text, PresenceEvent.class))
          .as(text)
          .isInstanceOf(JacksonException.class);
    }
  }
}
