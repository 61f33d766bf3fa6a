package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;
import io.convoke.server.crm.MeetingNote.MeetingNotePerson;
import java.util.List;
import java.util.Optional;

/** Reads for a note who took part in a meeting, and whose it is. */
public final class AttendanceQueries {
  private static final int PEOPLE_MAX = 1000;

  private AttendanceQueries() {}

  /** The participants in the order in which they joined. */
  public static List<MeetingNotePerson> people(Tx tx, long meetingId) {
    return tx.sql(
            """
            select user_id, user_name, min(joined_at) as first
            from participant_sessions where meeting_id = ?
            group by user_id, user_name order by first, user_id, user_name limit ?
            """)
        .with(meetingId, PEOPLE_MAX)
        .list(
            resultRow ->
                MeetingNotePerson.of(
                    resultRow.maybeText("user_id"), resultRow.maybeText("user_name")));
  }

  /** The address of the meeting's user. */
  public static Optional<String> owner(Tx tx, long meetingId) {
    return tx.sql("select u.email from meetings m join users u on u.id = m.user_id where m.id = ?")
        .with(meetingId)
        .first(resultRow -> resultRow.maybeText("email"))
        .flatMap(email -> email);
  }
}
