package io.convoke.server.presence;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Tx;
import io.convoke.server.presence.TrackedMeetingMonitor.EndReason;
import io.convoke.server.presence.TrackedMeetingMonitor.MeetingEnd;
import java.util.Optional;

/** The end of a tracked meeting: the update of its row and its journal event. */
final class TrackedMeetingEnd {
  private TrackedMeetingEnd() {}

  /** The data of the event, in the form of every status change. */
  private record MeetingCompletedData(
      long meetingId,
      long userId,
      String from,
      String to,
      String reason,
      String event,
      String actor,
      int attempt) {}

  /**
   * Completes the meeting; false when it is no longer active or a participant joined after its end.
   * A join within the platform's time resolution after the end counts as before it.
   */
  static boolean write(Tx tx, long meeting, MeetingEnd end) {
    return tx.sql(
                """
                update meetings set status = 'completed', end_time = ?, updated_at = now(),
                  state_entered_at = now(), version = version + 1
                where id = ? and tracked and status = 'active' and not exists (
                  select 1 from participant_sessions s
                  where s.meeting_id = meetings.id and s.left_at is null and s.joined_at > ?)
                """)
            .with(end.at(), meeting, end.at().plus(TrackedMeetingMonitor.COARSE))
            .update()
        > 0;
  }

  static NewJournalEvent event(PresenceMeeting presenceMeeting, EndReason reason) {
    return NewJournalEvent.of(
        "meeting.status_changed",
        "meeting:" + presenceMeeting.id(),
        Optional.of(presenceMeeting.userId()),
        new MeetingCompletedData(
            presenceMeeting.id(),
            presenceMeeting.userId(),
            "active",
            "completed",
            reason.text(),
            "ended",
            "presence",
            1));
  }
}
