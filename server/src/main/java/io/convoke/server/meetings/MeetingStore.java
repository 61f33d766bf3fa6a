package io.convoke.server.meetings;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads meeting rows, tracks meetings without a bot, and writes the user's own {@code data}. */
public final class MeetingStore {
  private final Database database;
  private final Journal journal;

  /** Writes to the journal, which presence follows, in the transaction of each change. */
  public MeetingStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /** Which meetings to list, newest first. */
  record MeetingFilter(
      Optional<Long> userId,
      Optional<MeetingStatus> status,
      Optional<String> platform,
      long before,
      int limit) {}

  /** The start of a page of a transcript: after the segment with these keys. */
  record TranscriptCursor(boolean unnamed, String sessionUid, double start, long id) {
    static final TranscriptCursor BEGIN = new TranscriptCursor(false, "", -1, 0);
  }

  /** A segment and its position. */
  record CursoredSegment(Segment segment, TranscriptCursor place) {}

  /** A meeting that was tracked just now, or was already. */
  record TrackResult(Meeting meeting, boolean created) {}

  /** The row, of any user. */
  public Optional<Meeting> find(long id) {
    return database.read(tx -> find(tx, id));
  }

  /** The same within a transaction. */
  public static Optional<Meeting> find(Tx tx, long id) {
    return tx.sql("select " + Meeting.COLUMNS + " from meetings where id = ?")
        .with(id)
        .first(Meeting::of);
  }

  List<Meeting> list(MeetingFilter meetingFilter) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + Meeting.COLUMNS
                        + """
                         from meetings
                        where id < ? and (? or user_id = ?) and (? or status = any(?)) and (? or platform = ?)
                        order by id desc limit ?
                        """)
                .with(
                    meetingFilter.before(),
                    meetingFilter.userId().isEmpty(),
                    meetingFilter.userId().orElse(0L),
                    meetingFilter.status().isEmpty(),
                    meetingFilter.status().map(MeetingStore::storedNames).orElse(new String[0]),
                    meetingFilter.platform().isEmpty(),
                    meetingFilter.platform().orElse(""),
                    meetingFilter.limit())
                .list(Meeting::of));
  }

  /** Starts recording presence of a meeting without a bot. */
  TrackResult track(
      long userId, String platform, String nativeId, Optional<JsonNode> data, String actor) {
    return database.transaction(
        tx -> {
          Optional<Meeting> created =
              tx.sql(
                      """
                      insert into meetings
                        (user_id, platform, platform_specific_id, status, start_time, tracked, data)
                      select id, ?, ?, 'active', now(), true, ? from users where id = ?
                      on conflict (user_id, platform, platform_specific_id)
                        where tracked and status = 'active' do nothing
                      """
                          + "returning "
                          + Meeting.COLUMNS)
                  .with(
                      platform,
                      nativeId,
                      data.orElseGet(() -> Json.mapper().createObjectNode()),
                      userId)
                  .first(Meeting::of);
          if (created.isEmpty()) {
            return new TrackResult(tracked(tx, userId, platform, nativeId), false);
          }
          Meeting meeting = created.get();
          journal.append(
              tx,
              List.of(
                  new MeetingStatusChange(
                          meeting.id(),
                          userId,
                          Optional.empty(),
                          MeetingStatus.ACTIVE,
                          "tracked",
                          "tracked",
                          actor,
                          1)
                      .event()));
          return new TrackResult(meeting, true);
        });
  }

  /** Replaces the user's part of {@code data}; {@code outcome}, which Convoke writes, stays. */
  Optional<Meeting> describe(long id, JsonNode data) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    update meetings set data = (?::jsonb - 'outcome')
                      || jsonb_strip_nulls(jsonb_build_object('outcome', data -> 'outcome'))
                    where id = ?
                    """
                        + "returning "
                        + Meeting.COLUMNS)
                .with(data, id)
                .first(Meeting::of));
  }

  /** The segments of a meeting after a position, by session and start. */
  List<CursoredSegment> segments(long meetingId, TranscriptCursor after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select coalesce(s.session_start_time, r.start_time) as began, "
                        + Segment.COLUMNS.replaceAll("\\w+", "t.$0")
                        + """
                         from transcriptions t
                        left join meeting_sessions s
                          on s.session_uid = t.session_uid and s.meeting_id = t.meeting_id
                        left join recordings r
                          on r.recording_id = substr(t.session_uid, 11) and r.meeting_id = t.meeting_id
                            and t.session_uid like 'recording:%'
                        where t.meeting_id = ?
                          and (t.session_uid is null, coalesce(t.session_uid, ''), t.start_time, t.id)
                            > (?, ?, ?, ?)
                        order by t.session_uid is null, coalesce(t.session_uid, ''), t.start_time, t.id
                        limit ?
                        """)
                .with(
                    meetingId,
                    after.unnamed(),
                    after.sessionUid(),
                    after.start(),
                    after.id(),
                    limit)
                .list(
                    resultRow -> {
                      Segment segment = Segment.of(resultRow, resultRow.maybeInstant("began"));
                      return new CursoredSegment(
                          segment,
                          new TranscriptCursor(
                              segment.sessionUid().isEmpty(),
                              segment.sessionUid().orElse(""),
                              segment.start(),
                              segment.id()));
                    }));
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

  /** Closes the transcript of an ended meeting with one event; returns its number of segments. */
  public long closeTranscript(long meetingId) {
    return database.transaction(
        tx -> {
          Optional<Long> user =
              tx.sql(
                      """
                      update meetings set transcript_closed_at = now()
                      where id = ? and transcript_closed_at is null returning user_id
                      """)
                  .with(meetingId)
                  .first(resultRow -> resultRow.longAt("user_id"));
          long segments =
              tx.sql("select count(*) as segments from transcriptions where meeting_id = ?")
                  .with(meetingId)
                  .one(resultRow -> resultRow.longAt("segments"));
          if (user.isPresent()) {
            journal.append(
                tx,
                List.of(
                    NewJournalEvent.of(
                        "transcript.closed",
                        MeetingStatusChange.subject(meetingId),
                        user,
                        Map.of("meeting_id", meetingId, "segments", segments))));
          }
          return segments;
        });
  }

  private static Meeting tracked(Tx tx, long userId, String platform, String nativeId) {
    return tx.sql(
            "select "
                + Meeting.COLUMNS
                + """
                 from meetings where user_id = ? and platform = ? and platform_specific_id = ?
                  and tracked and status = 'active'
                """)
        .with(userId, platform, nativeId)
        .first(Meeting::of)
        .orElseThrow(() -> Problem.notFound("user"));
  }

  /** All database values that read as this status. */
  private static String[] storedNames(MeetingStatus status) {
    return switch (status) {
      case RESERVED -> new String[] {"reserved", "requested"};
      case FAILED -> new String[] {"failed", "error"};
      case STARTING, ACTIVE, STOPPING, COMPLETED -> new String[] {status.wireName()};
    };
  }
}
