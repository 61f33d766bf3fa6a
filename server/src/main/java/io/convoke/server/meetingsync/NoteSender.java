package io.convoke.server.meetingsync;

import io.convoke.agent.blobs.Sha256;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnector.CrmPushResult;
import io.convoke.server.crm.CrmConnector.CrmTransformResult;
import io.convoke.server.crm.MeetingNote;
import io.convoke.server.meetings.Segment;
import io.convoke.server.recordings.AttendanceQueries;
import io.convoke.server.summaries.SummaryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Sends the note of a meeting: its participants and what bots heard, read anew in each attempt, so
 * that no copy of words is left behind. Its idempotency key is that of one text in one run.
 */
final class NoteSender {
  private static final int LINES_MAX = 20_000;
  private static final int DIGEST_SHOWN = 16;

  private final Database database;
  private final MeetingSyncStore store;
  private final RecordedMeetings recordings;
  private final Optional<CrmConnector> crm;

  NoteSender(
      Database database,
      MeetingSyncStore store,
      RecordedMeetings recordings,
      Optional<CrmConnector> crm) {
    this.database = database;
    this.store = store;
    this.recordings = recordings;
    this.crm = crm;
  }

  /**
   * Runs the steps of a run; returns its end.
   *
   * @throws IOException when a retry may succeed
   */
  String send(MeetingSyncRun run) throws IOException, InterruptedException {
    if (crm.isEmpty()) {
      throw new IOException("this node has no CRM configured");
    }
    if (store.recorded(run, recordings)) {
      return "recorded";
    }
    if (!store.begin(run)) {
      return "over";
    }
    Optional<MeetingNote> found = database.read(tx -> note(tx, run.meetingId()));
    if (found.filter(note -> !note.people().isEmpty() || !note.lines().isEmpty()).isEmpty()) {
      return store.empty(run);
    }
    MeetingNote note = found.get();
    if (!store.reached(run, "prepare") || !store.reached(run, "transform")) {
      return "over";
    }
    CrmConnector target = crm.get().forMeeting(run.meetingId());
    Optional<String> lack = target.lacks();
    if (lack.isPresent()) {
      return store.failed(run, lack.get());
    }
    return switch (target.transform(note)) {
      case CrmTransformResult.CrmBodyImpossible(String why) -> store.failed(run, why);
      case CrmTransformResult.CrmBodyReady(JsonNode body) -> push(run, target, note, body);
    };
  }

  private String push(MeetingSyncRun run, CrmConnector target, MeetingNote note, JsonNode body)
      throws IOException, InterruptedException {
    if (!store.reached(run, "push")) {
      return "over";
    }
    return switch (target.push(body, Optional.of(note), key(run, body))) {
      case CrmPushResult.CrmPushAccepted(String id, String detail) ->
          store.done(run, id + (detail.isEmpty() ? "" : ", " + detail));
      case CrmPushResult.CrmPushRefused(String why) -> store.failed(run, why);
    };
  }

  private static String key(MeetingSyncRun run, JsonNode body) {
    byte[] bytes = Json.bytes(body);
    Sha256 sha256 = new Sha256();
    sha256.add(bytes, 0, bytes.length);
    String hash = sha256.hex().substring(0, DIGEST_SHOWN);
    return "meeting-" + run.meetingId() + "-" + hash + (run.run() == 1 ? "" : "-" + run.run());
  }

  private static Optional<MeetingNote> note(Tx tx, long meetingId) {
    return tx.sql(
            """
            select platform, platform_specific_id, coalesce(start_time, created_at) as began, end_time
            from meetings where id = ?
            """)
        .with(meetingId)
        .first(
            resultRow ->
                new MeetingNote(
                    "meeting:" + meetingId,
                    meetingId,
                    Optional.empty(),
                    resultRow.text("platform"),
                    resultRow.maybeText("platform_specific_id").orElse(""),
                    Optional.of(resultRow.instant("began")),
                    resultRow
                        .maybeInstant("end_time")
                        .map(end -> Duration.between(resultRow.instant("began"), end))
                        .map(length -> (int) Math.max(0, length.toSeconds())),
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    List.of()))
        .map(
            note ->
                note.with(
                    AttendanceQueries.owner(tx, meetingId),
                    SummaryStore.plainText(tx, meetingId),
                    AttendanceQueries.people(tx, meetingId),
                    lines(tx, meetingId)));
  }

  /** What bots heard, in seconds since the start of the meeting. */
  private static List<MeetingNote.MeetingNoteLine> lines(Tx tx, long meetingId) {
    return tx.sql(
            """
            select t.start_time + shift as start_at, t.end_time + shift as end_at,
              SPEAKER as speaker, TEXT as text
            from transcriptions t
            join meetings m on m.id = t.meeting_id
            left join meeting_sessions s on s.session_uid = t.session_uid and s.meeting_id = m.id
            cross join lateral (
              select greatest(0, coalesce(extract(epoch from
                s.session_start_time - coalesce(m.start_time, m.created_at)), 0))::float8 as shift) x
            where t.meeting_id = ? and coalesce(t.session_uid, '') not like 'recording:%'
            order by start_at, t.id limit ?
            """
                .replace("SPEAKER", Segment.speaker("t"))
                .replace("TEXT", Segment.text("t")))
        .with(meetingId, LINES_MAX)
        .list(
            resultRow ->
                new MeetingNote.MeetingNoteLine(
                    resultRow.doubleAt("start_at"),
                    resultRow.doubleAt("end_at"),
                    resultRow.maybeText("speaker"),
                    resultRow.text("text")));
  }
}
