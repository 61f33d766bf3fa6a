package io.convoke.chaos.recordings.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each rule finds a history that breaks it, and a right one breaks none. */
final class RecordingCheckerTest {
  private static final String ID = "r1";
  private static final long MEETING = 7;
  private static final List<String> WORDS = List.of("one", "two");
  private static final List<String> STEPS =
      List.of("download", "transcribe", "prepare", "transform", "push");
  private static final RecordingEndState.RecordingBlob BLOB =
      new RecordingEndState.RecordingBlob(100, "abc");

  private final List<ExpectedRecording> truths = new ArrayList<>();
  private final List<RecordingEndState> rows = new ArrayList<>();
  private final List<RowChange> changes = new ArrayList<>();
  private final List<RecordingMove> moves = new ArrayList<>();
  private final List<SyncMove> syncMoves = new ArrayList<>();
  private final List<SyncRow> syncs = new ArrayList<>();
  private final List<OutsideEffect> effects = new ArrayList<>();
  private final List<ReceivedNote> posts = new ArrayList<>();
  private final List<FinalNote> notes = new ArrayList<>();
  private final Map<String, RecordingEndState.RecordingBlob> stored = new HashMap<>();
  private final List<ObservedReply> webhooks = new ArrayList<>();
  private final List<ObservedReply> requests = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private final List<String> left = new ArrayList<>();

  /** Found, worked on step by step, done; the push came twice, because its answer was lost. */
  @BeforeEach
  void aRightHistory() {
    truths.add(truth(ExpectedRecording.ExpectedEnd.DONE));
    rows.add(row("done", steps(5)));
    for (int done = 0; done <= STEPS.size(); done++) {
      changes.add(change(done + 1, "processing", done));
    }
    changes.add(change(7, "done", 5));
    moves.add(new RecordingMove(1, ID, Optional.empty(), "in_progress", 0));
    moves.add(new RecordingMove(2, ID, Optional.of("in_progress"), "ready", 1));
    moves.add(new RecordingMove(3, ID, Optional.of("ready"), "processing", 1));
    moves.add(new RecordingMove(4, ID, Optional.of("processing"), "done", 1));
    syncMoves.add(new SyncMove(5, MEETING, 1, "not_started", "in_progress", 1));
    syncMoves.add(new SyncMove(6, MEETING, 2, "in_progress", "success", 1));
    syncs.add(new SyncRow(MEETING, "success", 2, 1));
    effects.add(new OutsideEffect(ID, "transcribe"));
    for (int i = 0; i < 2; i++) {
      effects.add(new OutsideEffect(ID, "push"));
      posts.add(new ReceivedNote(ID, "key", "body"));
    }
    notes.add(new FinalNote(ID, MEETING, WORDS, 1));
    stored.put(ID, BLOB);
    webhooks.add(new ObservedReply("recording.ready-to-download", 0));
    webhooks.add(new ObservedReply("recording.ready-to-download", 200));
    requests.add(new ObservedReply("/recordings/r1/retry", 409));
  }

  @Test
  void aRightHistoryBreaksNoRule() {
    assertThat(check()).isEmpty();
  }

  @Test
  void aRecordingThatIsInNoRowIsLost() {
    truths.add(
        new ExpectedRecording(
            "r2", "room@2", ExpectedRecording.ExpectedEnd.EMPTY, Set.of(MEETING), List.of()));
    found(ViolationKind.LOST, "recording r2 (room@2) is in no row");
  }

  @Test
  void aRowThatThePlatformDoesNotHaveIsInvented() {
    truths.clear();
    found(ViolationKind.INVENTED, "recording r1 is none of the platform's");
    found(ViolationKind.INVENTED, "the CRM has a note of r1");
  }

  @Test
  void aRecordingThatIsNotOverIsOpen() {
    rows.set(0, row("processing", steps(5)));
    found(ViolationKind.OPEN, "recording r1 (room@1) is processing");
    found(ViolationKind.GAP, "recording r1 is processing in run 1, the journal left it at");
  }

  @Test
  void aRecordingThatEndedOtherwiseIsWrong() {
    truths.set(0, truth(ExpectedRecording.ExpectedEnd.UNHEARD));
    found(ViolationKind.ILLEGAL, "r1 (room@1) is done and must be failed");
    found(ViolationKind.INVENTED, "has 2 lines, said were 0");
    found(ViolationKind.INVENTED, "the CRM has a note of recording r1");
    found(ViolationKind.ILLEGAL, "the sync of meeting 7 is success and must be not_started");
  }

  @Test
  void aRecordingUnderAForeignMeetingIsWrong() {
    truths.set(
        0,
        new ExpectedRecording(ID, "room@1", ExpectedRecording.ExpectedEnd.DONE, Set.of(9L), WORDS));
    found(ViolationKind.ILLEGAL, "belongs to meeting Optional[7], it may belong to [9]");
  }

  @Test
  void whatIsLeftOpenIsFound() {
    left.add("the lock recording:r1 is held");
    found(ViolationKind.OPEN, "the lock recording:r1 is held");
  }

  @Test
  void wordsThatAreMissingTwiceOrOthersAreFound() {
    rows.set(0, withWords(List.of("one")));
    found(ViolationKind.LOST, "has 1 lines, said were 2");
    rows.set(0, withWords(List.of("one", "two", "two")));
    found(ViolationKind.DUPLICATED, "has 3 lines, said were 2");
    rows.set(0, withWords(List.of("one", "two", "three")));
    found(ViolationKind.INVENTED, "has 3 lines, said were 2");
  }

  @Test
  void aNoteThatIsMissingOrWrongOrCameInTwoVersionsIsFound() {
    notes.set(0, new FinalNote(ID, MEETING, List.of("one"), 1));
    found(ViolationKind.ILLEGAL, "the CRM's words of recording r1");
    notes.set(0, new FinalNote(ID, MEETING, WORDS, 2));
    found(ViolationKind.DUPLICATED, "the CRM was given 2 versions of");
    notes.set(0, new FinalNote(ID, 8, WORDS, 1));
    found(ViolationKind.ILLEGAL, "under meeting 8");
    notes.clear();
    found(ViolationKind.LOST, "the CRM has no note of recording r1");
  }

  @Test
  void theSameNoteUnderAnotherKeyIsASecondNote() {
    posts.set(1, new ReceivedNote(ID, "another", "body"));
    found(ViolationKind.DUPLICATED, "came under the keys key and another");
  }

  @Test
  void whatTheCrmComplainsAboutIsFound() {
    complaints.add("the same idempotency key with another body");
    found(ViolationKind.REFUSED, "the CRM complains");
  }

  @Test
  void aStepThatIsDoneAgainAfterItsCommitIsFound() {
    RowChange last = changes.get(3);
    List<StepRow> again = new ArrayList<>(last.steps());
    again.set(0, new StepRow("download", "running", 2));
    changes.set(3, with(last, again, last.lines(), last.told()));
    found(ViolationKind.DUPLICATED, "download was StepRow[name=download, state=done, attempts=1]");
  }

  @Test
  void aStepThatIsCommittedWithoutItsOutputIsFound() {
    RowChange heard = changes.get(2);
    changes.set(2, with(heard, heard.steps(), List.of("one"), heard.told()));
    found(ViolationKind.LOST, "transcribe was committed without what it came to");
  }

  @Test
  void aStepThatIsCommittedBeforeTheSyncStatusSaysSoIsFound() {
    RowChange pushed = changes.get(5);
    changes.set(5, with(pushed, pushed.steps(), pushed.lines(), Map.of("push", "in_progress")));
    found(ViolationKind.GAP, "push was committed while the sync status said in_progress of it");
  }

  @Test
  void epochsThatGoBackAndMovesOutOfAnEndAreFound() {
    RowChange last = changes.get(6);
    changes.add(
        new RowChange(
            8, ID, "ready", 1, 1, last.steps(), WORDS, last.sha256(), last.documents(), Map.of()));
    found(ViolationKind.SEQUENCE, "run 1, epoch 1 after run 1, epoch 7");
    found(ViolationKind.ILLEGAL, "was done and is ready");
  }

  @Test
  void whatWasDoneMoreOftenThanItWasClaimedIsFound() {
    effects.add(new OutsideEffect(ID, "transcribe"));
    found(
        ViolationKind.DUPLICATED,
        "transcribe of recording r1 was done 2 times and claimed 1 times");
  }

  @Test
  void aJournalThatTellsAnotherStoryIsFound() {
    RecordingMove ready = moves.remove(1);
    found(ViolationKind.GAP, "the one before ended at Optional[in_progress]");
    moves.add(1, ready);
    moves.set(3, new RecordingMove(4, ID, Optional.of("processing"), "done", 2));
    found(ViolationKind.COUNT, "it must be run 1");
    moves.set(2, new RecordingMove(3, ID, Optional.of("ready"), "done", 1));
    found(ViolationKind.ILLEGAL, "there is no such move");
  }

  @Test
  void aSyncThatDoesNotEndAsItsRecordingsDidIsFound() {
    truths.add(
        new ExpectedRecording(
            "r2", "room@2", ExpectedRecording.ExpectedEnd.UNWELCOME, Set.of(MEETING), WORDS));
    rows.add(
        new RecordingEndState(
            "r2", "failed", 1, Optional.of(MEETING), steps(4), WORDS, Optional.empty()));
    found(ViolationKind.ILLEGAL, "the sync of meeting 7 is success and must be failure");
    syncs.set(0, new SyncRow(MEETING, "in_progress", 2, 1));
    found(ViolationKind.OPEN, "the sync of meeting 7 is in_progress and must be failure");
  }

  @Test
  void aSyncThatGoesBackWithinAnAttemptIsFound() {
    syncMoves.add(new SyncMove(7, MEETING, 3, "success", "in_progress", 1));
    syncMoves.add(new SyncMove(8, MEETING, 4, "in_progress", "success", 1));
    syncs.set(0, new SyncRow(MEETING, "success", 4, 1));
    found(ViolationKind.SEQUENCE, "went back");
    syncMoves.remove(2);
    found(ViolationKind.GAP, "SyncMove[seq=8");
    syncMoves.remove(2);
    found(ViolationKind.GAP, "and the journal's last is");
  }

  @Test
  void aStoreThatDoesNotAgreeWithTheRowsIsFound() {
    stored.put("r9", BLOB);
    found(ViolationKind.INVENTED, "the store has audio of r9, no row has");
    stored.put(ID, new RecordingEndState.RecordingBlob(99, "abc"));
    found(ViolationKind.ILLEGAL, "the audio of recording r1 is");
    stored.remove(ID);
    found(ViolationKind.LOST, "the audio of recording r1 is");
  }

  @Test
  void answersThatNobodyMayGetAreFound() {
    webhooks.add(new ObservedReply("recording.started", 503));
    found(ViolationKind.REFUSED, "a webhook: ObservedReply[what=recording.started, status=503]");
    requests.add(new ObservedReply("/recordings/r1/match", 500));
    found(ViolationKind.REFUSED, "a request: ObservedReply[what=/recordings/r1/match, status=500]");
  }

  private void found(ViolationKind violationKind, String text) {
    assertThat(check())
        .anySatisfy(
            ruleViolation -> {
              assertThat(ruleViolation.kind()).isEqualTo(violationKind);
              assertThat(ruleViolation.text()).contains(text);
            });
  }

  private List<RuleViolation> check() {
    return RecordingChecker.check(
        new RecordingHistory(
            truths,
            rows,
            changes,
            moves,
            syncMoves,
            syncs,
            effects,
            posts,
            notes,
            stored,
            webhooks,
            requests,
            complaints,
            left));
  }

  private static ExpectedRecording truth(ExpectedRecording.ExpectedEnd expectedEnd) {
    return new ExpectedRecording(ID, "room@1", expectedEnd, Set.of(MEETING), WORDS);
  }

  private static RecordingEndState row(String status, List<StepRow> steps) {
    return new RecordingEndState(
        ID, status, 1, Optional.of(MEETING), steps, WORDS, Optional.of(BLOB));
  }

  private static RecordingEndState withWords(List<String> words) {
    return new RecordingEndState(
        ID, "done", 1, Optional.of(MEETING), steps(5), words, Optional.of(BLOB));
  }

  /** The first are done, the next one runs. */
  private static List<StepRow> steps(int done) {
    List<StepRow> steps = new ArrayList<>();
    for (int i = 0; i < STEPS.size(); i++) {
      String state = i < done ? "done" : i == done ? "running" : "pending";
      steps.add(new StepRow(STEPS.get(i), state, i > done ? 0 : i == 4 ? 2 : 1));
    }
    return steps;
  }

  private static RowChange change(long seq, String status, int done) {
    Map<String, String> told = new HashMap<>();
    STEPS.subList(2, Math.max(2, done)).forEach(step -> told.put(step, "success"));
    return new RowChange(
        seq,
        ID,
        status,
        1,
        seq,
        steps(done),
        done < 2 ? List.of() : WORDS,
        done < 1 ? Optional.empty() : Optional.of("abc"),
        done < 3 ? Set.of() : done < 4 ? Set.of("prepare") : Set.of("prepare", "transform"),
        told);
  }

  private static RowChange with(
      RowChange rowChange, List<StepRow> steps, List<String> words, Map<String, String> told) {
    return new RowChange(
        rowChange.seq(),
        rowChange.id(),
        rowChange.status(),
        rowChange.run(),
        rowChange.epoch(),
        steps,
        words,
        rowChange.sha256(),
        rowChange.documents(),
        told);
  }
}
