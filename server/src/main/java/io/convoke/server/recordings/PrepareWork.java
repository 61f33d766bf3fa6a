package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.crm.Crm;
import io.convoke.server.crm.MeetingNote;
import io.convoke.server.meetings.Transcripts;
import java.util.List;
import java.util.Optional;

/** Job A of the sync: assembles the note for the CRM in a neutral form. */
final class PrepareWork implements StepWork {
  private static final int PEOPLE_MAX = 1000;
  private static final int LINES_MAX = 20_000;

  private final Database database;
  private final Optional<Crm> crm;

  PrepareWork(Database database, Optional<Crm> crm) {
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
      return new StepResult.Skipped("no CRM is configured");
    }
    MeetingNote note = note(claim);
    return new StepResult.Done(
        note.people().size() + " people, " + note.lines().size() + " lines",
        tx -> Documents.write(tx, claim, Json.tree(note)));
  }

  private MeetingNote note(StepClaim claim) {
    RecordingRow row = claim.row();
    return new MeetingNote(
        "recording:" + row.id(),
        claim.meetingId(),
        row.id(),
        row.platform(),
        row.room(),
        row.startTime(),
        row.durationS(),
        people(claim.meetingId()),
        lines(claim));
  }

  private List<MeetingNote.Person> people(long meetingId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select user_id, user_name, min(joined_at) as first
                    from participant_sessions where meeting_id = ?
                    group by user_id, user_name order by first limit ?
                    """)
                .with(meetingId, PEOPLE_MAX)
                .list(
                    row ->
                        new MeetingNote.Person(
                            row.maybeText("user_id"), row.maybeText("user_name"))));
  }

  private List<MeetingNote.Line> lines(StepClaim claim) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select start_time, end_time, speaker, text from transcriptions
                    where meeting_id = ? and session_uid = ? order by start_time, id limit ?
                    """)
                .with(claim.meetingId(), Transcripts.ofRecording(claim.recordingId()), LINES_MAX)
                .list(
                    row ->
                        new MeetingNote.Line(
                            row.doubleAt("start_time"),
                            row.doubleAt("end_time"),
                            row.maybeText("speaker"),
                            row.text("text"))));
  }
}
