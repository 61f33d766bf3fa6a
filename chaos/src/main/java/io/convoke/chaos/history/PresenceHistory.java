package io.convoke.chaos.history;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All that was observed in one run.
 *
 * @param visits the truth
 * @param rows what the server wrote about stays, at the end
 * @param meetings what the server wrote about meetings, at the end
 * @param observations answers of the API, in the order in which they were asked for
 * @param stream events in the order in which the stream brought them
 * @param journal the same events as they stand in the database, by sequence
 * @param calls requests to the server, webhooks among them
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

  /** The room that a meeting is kept for; empty for a meeting nobody knows. */
  String room(long meetingId) {
    return rooms().getOrDefault(meetingId, "");
  }

  Map<Long, String> rooms() {
    return meetings.stream()
        .collect(Collectors.toMap(MeetingRow::meetingId, MeetingRow::room, (one, other) -> one));
  }

  /** How many things were done or answered. */
  public int operations() {
    return visits.size() * 2 + observations.size() + calls.size();
  }
}
