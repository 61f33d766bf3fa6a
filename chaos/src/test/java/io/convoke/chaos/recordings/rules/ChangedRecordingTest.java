package io.convoke.chaos.recordings.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.recordings.rules.RecordingHistory.FinalNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RowChange;
import io.convoke.chaos.recordings.rules.RecordingHistory.StepRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncTransition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What readers and the CRM have of a recording that its user repeats, corrects or deletes. */
final class ChangedRecordingTest {
  private static final String ID = "r1";
  private static final long MEETING = 7;
  private static final List<String> WORDS = List.of("one", "two");
  private static final List<String> CORRECTED = List.of("one corrected", "two");
  private static final List<String> STEPS =
      List.of("download", "transcribe", "prepare", "transform", "push");

  @Test
  void aTranscriptThatIsNotWholeWhileItIsRepeatedIsFound() {
    RowChange arriving = transcribed(1, 1, "running", List.of("one"));
    RowChange whole = transcribed(2, 1, "done", WORDS);
    RowChange repeated = transcribed(3, 2, "running", WORDS);
    assertThat(committed(arriving, whole, repeated)).isEmpty();
    for (List<String> half : List.of(List.<String>of(), List.of("one"), List.of("one", "one"))) {
      assertThat(committed(arriving, whole, transcribed(3, 2, "running", half)))
          .singleElement()
          .satisfies(
              found -> {
                assertThat(found.kind()).isEqualTo(ViolationKind.LOST);
                assertThat(found.text()).contains("the transcript was whole, readers have " + half);
              });
    }
  }

  private static List<RuleViolation> committed(RowChange... changes) {
    return RecordingStepRules.stepCommit(history(List.of(changes), List.of(), Set.of()));
  }

  private static RowChange transcribed(long seq, int run, String state, List<String> lines) {
    return change(seq, "processing", run, List.of(new StepRow("transcribe", state, run)), lines);
  }

  @Test
  void aNoteWithoutItsCorrectionIsFound() {
    assertThat(noted(new FinalNote(ID, MEETING, WORDS, 1))).containsExactly(ViolationKind.ILLEGAL);
    assertThat(noted(new FinalNote(ID, MEETING, CORRECTED, 1))).isEmpty();
    assertThat(noted(new FinalNote(ID, MEETING, CORRECTED, 2))).isEmpty();
    assertThat(noted(new FinalNote(ID, MEETING, CORRECTED, 3)))
        .containsExactly(ViolationKind.DUPLICATED);
  }

  private static List<ViolationKind> noted(FinalNote note) {
    return kinds(RecordingEndRules.crmNote(history(List.of(), List.of(note), Set.of())));
  }

  @Test
  void aCorrectedRecordingIsRepeatedFromItsNote() {
    for (RowChange last :
        List.of(change(1, "failed", 1, steps(4), WORDS), change(1, "done", 1, steps(5), WORDS))) {
      assertThat(repeated(last, 2)).isEmpty();
      for (int step : List.of(0, 1, 3, 4)) {
        assertThat(repeated(last, step)).containsExactly(ViolationKind.ILLEGAL);
      }
    }
    assertThat(repeated(change(1, "in_progress", 0, steps(0), WORDS), 0)).isEmpty();
  }

  private static List<ViolationKind> repeated(RowChange last, int from) {
    RowChange next = change(2, "ready", 2, steps(from), WORDS);
    return kinds(RecordingRunRules.repeatedStep(history(List.of(last, next), List.of(), Set.of())));
  }

  @Test
  void aMeetingWhoseRecordingsWereDeletedHasANoteOfItsOwn() {
    FinalNote recorded = new FinalNote(ID, MEETING, CORRECTED, 1);
    List<FinalNote> both = List.of(recorded, new FinalNote("meeting:8", 8, List.of(), 1));
    assertThat(RecordingEndRules.crmNote(history(List.of(), both, Set.of(8L)))).isEmpty();
    assertThat(RecordingEndRules.crmNote(history(List.of(), List.of(recorded), Set.of(8L))))
        .extracting(RuleViolation::kind, RuleViolation::text)
        .containsExactly(
            tuple(
                ViolationKind.LOST,
                "the CRM has no note of meeting:8, whose recordings were deleted"));
    for (Set<Long> others : List.of(Set.<Long>of(), Set.of(9L))) {
      assertThat(kinds(RecordingEndRules.crmNote(history(List.of(), both, others))))
          .contains(ViolationKind.INVENTED);
    }
    assertThat(RecordingEndRules.syncStatus(history(List.of(), both, Set.of(8L)))).isEmpty();
    assertThat(RecordingEndRules.syncStatus(history(List.of(), both, Set.of(9L))))
        .extracting(RuleViolation::text)
        .containsExactly("the sync of meeting 8 is success, expected not_started");
  }

  private static List<ViolationKind> kinds(List<RuleViolation> found) {
    return found.stream().map(RuleViolation::kind).toList();
  }

  /** So many are done. */
  private static List<StepRow> steps(int done) {
    return IntStream.range(0, STEPS.size())
        .mapToObj(i -> new StepRow(STEPS.get(i), i < done ? "done" : "pending", 1))
        .toList();
  }

  private static RowChange change(
      long seq, String status, int run, List<StepRow> steps, List<String> lines) {
    return new RowChange(
        seq, ID, status, run, seq, steps, lines, Optional.empty(), Set.of(), Map.of());
  }

  /** A recording of meeting 7 that its user corrected, and two synced meetings. */
  private static RecordingHistory history(
      List<RowChange> changes, List<FinalNote> notes, Set<Long> unrecorded) {
    return new RecordingHistory(
        List.of(
            new ExpectedRecording(
                ID,
                "room@1",
                ExpectedRecording.ExpectedEnd.DONE,
                Set.of(MEETING),
                WORDS,
                ExpectedRecording.ExpectedWork.ANY,
                Optional.of(ExpectedRecording.CORRECT))),
        List.of(
            new RecordingEndState(
                ID, "done", 2, Optional.of(MEETING), steps(5), WORDS, Optional.empty())),
        changes,
        List.of(),
        List.of(
            new SyncTransition(1, MEETING, 1, "not_started", "success", 1),
            new SyncTransition(2, 8, 1, "not_started", "success", 1)),
        List.of(new SyncRow(MEETING, "success", 1, 1), new SyncRow(8, "success", 1, 1)),
        List.of(),
        List.of(),
        notes,
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        unrecorded,
        RecordingHistory.RecordingEvidence.NONE);
  }
}
