package io.convoke.server.meetings;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The journal's row for one applied move of a meeting's status: {@code meeting.status_changed}.
 *
 * @param from absent when the row was created
 * @param reason why, a stable word
 * @param cause the event, by its name in the lifecycle's table
 * @param actor the author: {@code user:7}, {@code bot}, {@code launcher}, {@code sweeper}, ...
 */
public record MeetingStatusChange(
    long meetingId,
    long userId,
    Optional<MeetingStatus> from,
    MeetingStatus to,
    String reason,
    String cause,
    String actor,
    int attempt) {
  /** The type of the row. */
  public static final String TYPE = "meeting.status_changed";

  /** The row, to be appended in the transaction of the change. */
  public NewJournalEvent event() {
    return event(facts());
  }

  /**
   * The row of a move that can be replayed.
   *
   * @param at the time of the change, by the clock of the meeting's row
   * @param evidence the evidence of the transition
   */
  public NewJournalEvent event(Instant at, JsonNode evidence) {
    Map<String, Object> data = facts();
    data.put("at", Json.time(at));
    data.put("evidence", evidence);
    return event(data);
  }

  private NewJournalEvent event(Map<String, Object> data) {
    return NewJournalEvent.of(TYPE, subject(meetingId), Optional.of(userId), data);
  }

  private Map<String, Object> facts() {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", meetingId);
    data.put("user_id", userId);
    data.put("from", from.map(MeetingStatus::wireName).orElse(null));
    data.put("to", to.wireName());
    data.put("reason", reason);
    data.put("event", cause);
    data.put("actor", actor);
    data.put("attempt", attempt);
    return data;
  }

  /** The subject of a meeting's events. */
  public static String subject(long meetingId) {
    return "meeting:" + meetingId;
  }
}
