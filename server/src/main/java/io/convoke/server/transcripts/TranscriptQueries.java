package io.convoke.server.transcripts;

import io.convoke.engine.sql.Database;
import io.convoke.server.meetings.Segment;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads the segments of one meeting. */
final class TranscriptQueries {
  private static final String SESSIONS =
      """
      left join meeting_sessions s
        on s.session_uid = t.session_uid and s.meeting_id = t.meeting_id
      left join recordings r
        on r.recording_id = substr(t.session_uid, 11) and r.meeting_id = t.meeting_id
          and t.session_uid like 'recording:%'
      """;

  private final Database database;

  TranscriptQueries(Database database) {
    this.database = database;
  }

  /** The start of a page of a transcript: after the segment with these keys. */
  record TranscriptCursor(boolean unnamed, String sessionUid, double start, long id) {
    static final TranscriptCursor BEGIN = new TranscriptCursor(false, "", -1, 0);
  }

  /** A segment, its position, and when its session began. */
  record CursoredSegment(Segment segment, Optional<Instant> began, TranscriptCursor place) {}

  /**
   * The segments of a meeting, or of one of its sessions, after a position.
   *
   * @param words whether they have their words with times
   */
  List<CursoredSegment> segments(
      long meetingId,
      Optional<String> sessionUid,
      TranscriptCursor after,
      int limit,
      boolean words) {
    return database.read(
        tx ->
            tx.sql(
                    "select coalesce(s.session_start_time, r.start_time) as began, "
                        + Segment.columns("t")
                        + (words ? ", " + Segment.words("t") : "")
                        + " from transcriptions t "
                        + SESSIONS
                        + """
                        where t.meeting_id = ?
                          and (? or t.session_uid = ?)
                          and (t.session_uid is null, coalesce(t.session_uid, ''), t.start_time, t.id)
                            > (?, ?, ?, ?)
                        order by t.session_uid is null, coalesce(t.session_uid, ''), t.start_time, t.id
                        limit ?
                        """)
                .with(
                    meetingId,
                    sessionUid.isEmpty(),
                    sessionUid.orElse(""),
                    after.unnamed(),
                    after.sessionUid(),
                    after.start(),
                    after.id(),
                    limit)
                .list(
                    resultRow -> {
                      Optional<Instant> began = resultRow.maybeInstant("began");
                      Segment plain = Segment.of(resultRow, began);
                      Segment segment = words ? plain.withWords(resultRow) : plain;
                      return new CursoredSegment(
                          segment,
                          began,
                          new TranscriptCursor(
                              segment.sessionUid().isEmpty(),
                              segment.sessionUid().orElse(""),
                              segment.start(),
                              segment.id()));
                    }));
  }

  /** When the first of the sessions began that a transcript of this meeting has. */
  Optional<Instant> began(long meetingId, Optional<String> sessionUid) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select min(coalesce(s.session_start_time, r.start_time)) as began
                    from (
                      select distinct meeting_id, session_uid from transcriptions
                      where meeting_id = ? and (? or session_uid = ?)) t
                    """
                        + SESSIONS)
                .with(meetingId, sessionUid.isEmpty(), sessionUid.orElse(""))
                .one(resultRow -> resultRow.maybeInstant("began")));
  }

  /** Whether a recording of this meeting may still add segments. */
  boolean awaitsWords(long meetingId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select exists (
                      select from recordings
                      where meeting_id = ? and transcript_open and deleted_at is null) as awaits
                    """)
                .with(meetingId)
                .one(resultRow -> resultRow.booleanAt("awaits")));
  }
}
