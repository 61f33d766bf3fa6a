package io.convoke.server.meetings;

import io.convoke.engine.journal.NewEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The journal's row for one applied move of a meeting's status: {@code meeting.status_changed}.
 *
 * @param from absent when the row was created
 * @param reason why, a stable word
 * @param cause what happened, by the name it has in the lifecycle's table
 * @param actor who brought it: {@code user:7}, {@code bot}, {@code launcher}, {@code sweeper}, ...
 */
public record StatusChange(
    long meetingId,
    long userId,
    Optional<MeetingStatus> from,
    MeetingStatus to,
    String reason,
    String cause,
    String actor,
    int attempt) {

  /** The row, to be appended in the transaction of the move. */
  public NewEvent event() {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", meetingId);
    data.put("user_id", userId);
    data.put("from", from.map(MeetingStatus::word).orElse(null));
    data.put("to", to.word());
    data.put("reason", reason);
    data.put("event", cause);
    data.put("actor", actor);
    data.put("attempt", attempt);
    return NewEvent.of("meeting.status_changed", subject(meetingId), Optional.of(userId), data);
  }

  /** The subject of everything that happens to a meeting. */
  public static String subject(long meetingId) {
    return "meeting:" + meetingId;
  }
}
