package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.MeetingNote;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.Segment;
import io.convoke.server.summaries.SummaryStore;
import java.util.List;
import java.util.Optional;

/** Job A of the sync: assembles the note for the CRM in a neutral form. */
final class PrepareStep implements StepHandler {
  private static final int LINES_MAX = 20_000;

  private final Database database;
  private final Optional<CrmConnector> crm;

  PrepareStep(Database database, Optional<CrmConnector> crm) {
    this.database = database;
    this.crm = crm;
  }

  @Override
  public StepName name() {
    return StepName.PREPARE;
  }

  @Override
  public boolean wanted() {
    return crm.isPresent();
  }

  @Override
  public StepResult run(StepClaim claim, ActivityContext context) {
    if (crm.isEmpty()) {
      return new StepResult.StepSkipped("no CRM is configured");
    }
    MeetingNote note = note(claim);
    return new StepResult.StepDone(
        note.people().size() + " people, " + note.lines().size() + " lines",
        tx -> StepOutputs.write(tx, claim, Json.tree(note)));
  }

  private MeetingNote note(StepClaim claim) {
    RecordingRow row = claim.row();
    return new MeetingNote(
        "recording:" + row.id(),
        claim.meetingId(),
        Optional.of(row.id()),
        row.platform(),
        row.room(),
        row.startTime(),
        row.durationS(),
        database.read(tx -> AttendanceQueries.owner(tx, claim.meetingId())),
        database.read(tx -> SummaryStore.plainText(tx, claim.meetingId())),
        database.read(tx -> AttendanceQueries.people(tx, claim.meetingId())),
        database.read(tx -> lines(tx, claim.meetingId(), claim.recordingId())));
  }

  /** Whether the note that was prepared has another summary or other words than one of now. */
  static boolean outdated(Tx tx, RecordingRow row) {
    return row.steps().of(StepName.PREPARE).over()
        && StepOutputs.read(tx, row.id(), StepName.PREPARE)
            .map(json -> Json.read(json, MeetingNote.class))
            .filter(
                note ->
                    !note.summary().equals(SummaryStore.plainText(tx, note.meetingId()))
                        || !note.lines().equals(lines(tx, note.meetingId(), row.id())))
            .isPresent();
  }

  private static List<MeetingNote.MeetingNoteLine> lines(
      Tx tx, long meetingId, String recordingId) {
    return tx.sql(
            """
            select t.start_time, t.end_time, SPEAKER as speaker, TEXT as text
            from transcriptions t
            where meeting_id = ? and session_uid = ? order by start_time, id limit ?
            """
                .replace("SPEAKER", Segment.speaker("t"))
                .replace("TEXT", Segment.text("t")))
        .with(meetingId, MeetingTranscriptStore.ofRecording(recordingId), LINES_MAX)
        .list(
            resultRow ->
                new MeetingNote.MeetingNoteLine(
                    resultRow.doubleAt("start_time"),
                    resultRow.doubleAt("end_time"),
                    resultRow.maybeText("speaker"),
                    resultRow.text("text")));
  }
}
