package io.convoke.server.presence;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.Optional;

/** The end of a tracked meeting: its row, and what the journal tells of it. */
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
   * False when the meeting is not active any more or somebody came after its end; who came so
   * shortly after it that the platform's coarse time explains it was in this meeting.
   */
  static boolean write(Tx tx, long meeting, Instant endedAt) {
    return tx.sql(
                """
                update meetings set status = 'completed', end_time = ?, updated_at = now(),
                  state_entered_at = now(), version = version + 1
                where id = ? and tracked and status = 'active' and not exists (
                  select 1 from participant_sessions s
                  where s.meeting_id = meetings.id and s.left_at is null and s.joined_at > ?)
                """)
            .with(endedAt, meeting, endedAt.plus(TrackedMeetingMonitor.COARSE))
            .update()
        > 0;
  }

  static NewJournalEvent event(PresenceMeeting presenceMeeting) {
    return NewJournalEvent.of(
        "meeting.status_changed",
        "meeting:" + presenceMeeting.id(),
        Optional.of(presenceMeeting.userId()),
        new MeetingCompletedData(
            presenceMeeting.id(),
            presenceMeeting.userId(),
            "active",
            "completed",
            "platform_ended",
            "ended",
            "presence",
            1));
  }
}
