package io.convoke.chaos.history;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Everything observed in one run.
 *
 * @param visits the platform's own record
 * @param rows session rows after the run
 * @param meetings meeting rows after the run
 * @param observations API responses, in request order
 * @param stream events in the order of the stream
 * @param journal the same events in the database, by sequence
 * @param calls requests to the server, including webhooks
 */
public record PresenceHistory(
    PresenceBounds bounds,
    List<ActualVisit> visits,
    List<SessionRow> rows,
    List<MeetingRow> meetings,
    List<ObservedPresence> observations,
    List<ObservedEvent> stream,
    List<ObservedEvent> journal,
    List<ObservedCall> calls) {

  /** The room of a meeting; empty for an unknown meeting. */
  String room(long meetingId) {
    return rooms().getOrDefault(meetingId, "");
  }

  Map<Long, String> rooms() {
    return meetings.stream()
        .collect(Collectors.toMap(MeetingRow::meetingId, MeetingRow::room, (one, other) -> one));
  }

  /** Number of actions and responses. */
  public int operations() {
    return visits.size() * 2 + observations.size() + calls.size();
  }
}
