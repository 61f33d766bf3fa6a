package io.convoke.server.transcripts;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatusChange;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.Segment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Corrects texts and speakers of completed segments and names speakers, each with its history and
 * event in the same transaction. What a bot or a transcriber reported stays beside it, because a
 * repeated report is recognised by it.
 */
final class TranscriptCorrections {
  /** The type of the event when a speaker is renamed. */
  static final String RENAMED = "transcript.speaker_renamed";

  private final Database database;
  private final Journal journal;
  private final MeetingTranscriptStore transcripts;

  TranscriptCorrections(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
    this.transcripts = new MeetingTranscriptStore(journal);
  }

  /**
   * A new text or speaker of a segment.
   *
   * @param text empty: as it is
   * @param speaker empty: as it is; empty within: removed
   */
  record Correction(Optional<String> text, Optional<Optional<String>> speaker) {}

  /** A change, as the history shows it; of all segments of a speaker without a segment. */
  record TranscriptChange(
      long id,
      Instant at,
      String actor,
      Optional<Long> segmentId,
      String field,
      Optional<String> before,
      Optional<String> after) {}

  /** A renamed speaker, and how many segments were. */
  record RenamedSpeaker(long meetingId, String from, String to, int segments) {}

  private record FieldChange(String field, Optional<String> before, Optional<String> after) {}

  private record ShownSegment(String text, Optional<String> speaker, boolean completed) {}

  /**
   * Corrects a segment; the same again changes nothing.
   *
   * @throws Problem 404 without such a segment, 409 for a draft
   */
  Segment correct(Meeting meeting, long segmentId, Correction correction, String actor) {
    return database.transaction(
        tx -> {
          List<FieldChange> changes = changes(shown(tx, meeting.id(), segmentId), correction);
          if (changes.isEmpty()) {
            return transcripts.segment(tx, meeting.id(), segmentId);
          }
          changes.forEach(
              change -> record(tx, meeting.id(), Optional.of(segmentId), actor, change));
          int _ =
              tx.sql(
                      """
                      update transcriptions
                      set shown_text = coalesce(?, shown_text), shown_speaker = coalesce(?, shown_speaker)
                      where id = ?
                      """)
                  .with(
                      correction.text(),
                      correction.speaker().map(speaker -> speaker.orElse("")),
                      segmentId)
                  .update();
          return transcripts.appendCorrected(tx, meeting.id(), segmentId);
        });
  }

  /**
   * Renames a speaker in all segments of a meeting, also those that follow.
   *
   * @throws Problem 404 without a segment of this speaker
   */
  RenamedSpeaker rename(Meeting meeting, String from, String to, String actor) {
    return database.transaction(
        tx -> {
          MeetingTranscriptStore.lockSpeakers(tx, meeting.id());
          int segments =
              tx.sql(
                      "update transcriptions t set shown_speaker = ? where t.meeting_id = ? and "
                          + Segment.speaker("t")
                          + " = ?")
                  .with(to, meeting.id(), from)
                  .update();
          if (segments == 0) {
            throw Problem.notFound("speaker");
          }
          RenamedSpeaker renamed = new RenamedSpeaker(meeting.id(), from, to, segments);
          if (from.equals(to)) {
            return renamed;
          }
          int _ =
              tx.sql("update transcript_speakers set name = ? where meeting_id = ? and name = ?")
                  .with(to, meeting.id(), from)
                  .update();
          int _ =
              tx.sql(
                      """
                      insert into transcript_speakers (meeting_id, speaker, name) values (?, ?, ?)
                      on conflict do nothing
                      """)
                  .with(meeting.id(), from, to)
                  .update();
          record(
              tx,
              meeting.id(),
              Optional.empty(),
              actor,
              new FieldChange("speaker", Optional.of(from), Optional.of(to)));
          journal.append(
              tx,
              List.of(
                  NewJournalEvent.of(
                      RENAMED,
                      MeetingStatusChange.subject(meeting.id()),
                      Optional.of(meeting.userId()),
                      renamed)));
          return renamed;
        });
  }

  /** The changes of a transcript before one, newest first. */
  List<TranscriptChange> history(long meetingId, long before, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, at, actor, segment_id, field, before, after from transcript_changes
                    where meeting_id = ? and id < ? order by id desc limit ?
                    """)
                .with(meetingId, before, limit)
                .list(
                    resultRow ->
                        new TranscriptChange(
                            resultRow.longAt("id"),
                            resultRow.instant("at"),
                            resultRow.text("actor"),
                            resultRow.maybeLong("segment_id"),
                            resultRow.text("field"),
                            resultRow.maybeText("before"),
                            resultRow.maybeText("after"))));
  }

  private static ShownSegment shown(Tx tx, long meetingId, long segmentId) {
    ShownSegment segment =
        tx.sql(
                "select TEXT as text, SPEAKER as speaker, t.completed from transcriptions t"
                        .replace("TEXT", Segment.text("t"))
                        .replace("SPEAKER", Segment.speaker("t"))
                    + " where t.id = ? and t.meeting_id = ? for no key update")
            .with(segmentId, meetingId)
            .first(
                resultRow ->
                    new ShownSegment(
                        resultRow.text("text"),
                        resultRow.maybeText("speaker"),
                        resultRow.booleanAt("completed")))
            .orElseThrow(() -> Problem.notFound("segment"));
    if (!segment.completed()) {
      throw Problem.of(409, "draft", "This segment is a draft; its source still changes it.");
    }
    return segment;
  }

  private static List<FieldChange> changes(ShownSegment shown, Correction correction) {
    List<FieldChange> changes = new ArrayList<>();
    correction
        .text()
        .filter(text -> !text.equals(shown.text()))
        .ifPresent(
            text ->
                changes.add(new FieldChange("text", Optional.of(shown.text()), Optional.of(text))));
    correction
        .speaker()
        .filter(speaker -> !speaker.equals(shown.speaker()))
        .ifPresent(speaker -> changes.add(new FieldChange("speaker", shown.speaker(), speaker)));
    return changes;
  }

  private static void record(
      Tx tx, long meetingId, Optional<Long> segmentId, String actor, FieldChange change) {
    int _ =
        tx.sql(
                """
                insert into transcript_changes (meeting_id, segment_id, actor, field, before, after)
                values (?, ?, ?, ?, ?, ?)
                """)
            .with(meetingId, segmentId, actor, change.field(), change.before(), change.after())
            .update();
  }
}
