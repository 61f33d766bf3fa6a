package io.convoke.chaos.recordings.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.recordings.rules.RecordingHistory.FinalNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.MeetingPeople;
import io.convoke.chaos.recordings.rules.RecordingHistory.OutsideEffect;
import io.convoke.chaos.recordings.rules.RecordingHistory.ReceivedNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingTransition;
import io.convoke.chaos.recordings.rules.RecordingHistory.RowChange;
import io.convoke.chaos.recordings.rules.RecordingHistory.StepRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncTransition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each rule finds a history that violates it; a correct history violates none. */
final class RecordingCheckerTest {
  private static final String ID = "r1";
  private static final long MEETING = 7;
  private static final List<String> WORDS = List.of("one", "two");
  private static final List<String> STEPS =
      List.of("download", "transcribe", "prepare", "transform", "push");
  private static final RecordingEndState.RecordingBlob BLOB =
      new RecordingEndState.RecordingBlob(100, "abc");

  private final List<ExpectedRecording> expectedRecordings = new ArrayList<>();
  private final List<RecordingEndState> rows = new ArrayList<>();
  private final List<RowChange> changes = new ArrayList<>();
  private final List<RecordingTransition> transitions = new ArrayList<>();
  private final List<SyncTransition> syncMoves = new ArrayList<>();
  private final List<SyncRow> syncs = new ArrayList<>();
  private final List<OutsideEffect> effects = new ArrayList<>();
  private final List<ReceivedNote> posts = new ArrayList<>();
  private final List<FinalNote> notes = new ArrayList<>();
  private final Map<String, RecordingEndState.RecordingBlob> stored = new HashMap<>();
  private final List<TimedReply> webhooks = new ArrayList<>();
  private final List<TimedReply> requests = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private final List<String> left = new ArrayList<>();
  private RecordingHistory.RecordingEvidence evidence = RecordingHistory.RecordingEvidence.NONE;

  /** Found, worked on step by step, done; the push came twice, because its answer was lost. */
  @BeforeEach
  void aRightHistory() {
    expectedRecordings.add(truth(ExpectedRecording.ExpectedEnd.DONE));
    rows.add(row("done", steps(5)));
    for (int done = 0; done <= STEPS.size(); done++) {
      changes.add(change(done + 1, "processing", done));
    }
    changes.add(change(7, "done", 5));
    transitions.add(move(1, ID, Optional.empty(), "in_progress", 0));
    transitions.add(move(2, ID, Optional.of("in_progress"), "ready", 1));
    transitions.add(move(3, ID, Optional.of("ready"), "processing", 1));
    transitions.add(move(4, ID, Optional.of("processing"), "done", 1));
    syncMoves.add(new SyncTransition(5, MEETING, 1, "not_started", "in_progress", 1));
    syncMoves.add(new SyncTransition(6, MEETING, 2, "in_progress", "success", 1));
    syncs.add(new SyncRow(MEETING, "success", 2, 1));
    effects.add(new OutsideEffect(ID, "transcribe"));
    for (int i = 0; i < 2; i++) {
      effects.add(new OutsideEffect(ID, "push"));
      posts.add(new ReceivedNote(ID, "key", "body"));
    }
    notes.add(new FinalNote(ID, MEETING, WORDS, 1));
    stored.put(ID, BLOB);
    webhooks.add(new TimedReply("recording.ready-to-download", 0));
    webhooks.add(new TimedReply("recording.ready-to-download", 200));
    requests.add(new TimedReply("/recordings/r1/retry", 409));
  }

  @Test
  void aCorrectHistoryViolatesNoRule() {
    assertThat(check()).isEmpty();
  }

  @Test
  void aRecordingWithoutARowIsLost() {
    expectedRecordings.add(
        new ExpectedRecording(
            "r2", "room@2", ExpectedRecording.ExpectedEnd.EMPTY, Set.of(MEETING), List.of()));
    found(ViolationKind.LOST, "recording r2 (room@2) has no row");
  }

  @Test
  void aRowThatThePlatformDoesNotHaveIsInvented() {
    expectedRecordings.clear();
    found(ViolationKind.INVENTED, "recording r1 is not on the platform");
    found(ViolationKind.INVENTED, "the CRM has a note of r1");
  }

  @Test
  void eachRecordingIsJudgedByWhatIsItsOwn() {
    anotherOfMeeting8();
    assertThat(check()).isEmpty();
    expectedRecordings.removeLast();
    notes.add(new FinalNote("r2", 8, WORDS, 1));
    found(ViolationKind.INVENTED, "recording r2 is not on the platform");
    found(ViolationKind.INVENTED, "the CRM has a note of r2");
    syncs.clear();
    found(ViolationKind.ILLEGAL, "the sync of meeting 7 is not_started, expected success");
    syncs.add(new SyncRow(9, "success", 0, 0));
    found(ViolationKind.ILLEGAL, "the sync of meeting 9 is success, expected not_started");
  }

  /** The transcriber rejects it. */
  private void anotherOfMeeting8() {
    expectedRecordings.add(
        new ExpectedRecording(
            "r2", "room@2", ExpectedRecording.ExpectedEnd.UNHEARD, Set.of(8L), WORDS));
    Optional<Long> its = Optional.of(8L);
    rows.add(new RecordingEndState("r2", "failed", 0, its, List.of(), List.of(), Optional.empty()));
    transitions.add(new RecordingTransition(7, "r2", Optional.empty(), "failed", 0, its, true));
    syncMoves.add(new SyncTransition(8, 8, 1, "not_started", "failure", 1));
    syncs.add(new SyncRow(8, "failure", 1, 1));
  }

  @Test
  void onlyARecordingOfSilenceMayHaveNoMeeting() {
    rows.set(
        0,
        new RecordingEndState(ID, "done", 1, Optional.empty(), steps(5), WORDS, Optional.of(BLOB)));
    found(ViolationKind.ILLEGAL, "belongs to meeting Optional.empty");
    expectedRecordings.set(0, truth(ExpectedRecording.ExpectedEnd.EMPTY));
    assertThat(check()).noneMatch(found -> found.text().contains("belongs to meeting"));
  }

  @Test
  void aRecordingThatHasNotEndedIsOpen() {
    rows.set(0, row("processing", steps(5)));
    found(ViolationKind.OPEN, "recording r1 (room@1) is processing");
    found(ViolationKind.GAP, "recording r1 is processing in run 1, its last journal entry is");
  }

  @Test
  void aRecordingWithAnotherEndIsWrong() {
    expectedRecordings.set(0, truth(ExpectedRecording.ExpectedEnd.UNHEARD));
    found(ViolationKind.ILLEGAL, "r1 (room@1) is done, expected failed");
    found(ViolationKind.INVENTED, "has 2 lines, spoken were 0");
    found(ViolationKind.INVENTED, "the CRM has a note of recording r1");
    found(ViolationKind.ILLEGAL, "the sync of meeting 7 is success, expected failure");
  }

  @Test
  void aRecordingUnderAForeignMeetingIsWrong() {
    expectedRecordings.set(
        0,
        new ExpectedRecording(ID, "room@1", ExpectedRecording.ExpectedEnd.DONE, Set.of(9L), WORDS));
    found(ViolationKind.ILLEGAL, "belongs to meeting Optional[7], expected one of [9]");
  }

  @Test
  void openWorkIsFound() {
    left.add("the lock recording:r1 is held");
    found(ViolationKind.OPEN, "the lock recording:r1 is held");
  }

  @Test
  void missingDuplicatedAndInventedLinesAreFound() {
    rows.set(0, withLines(List.of("one")));
    found(ViolationKind.LOST, "has 1 lines, spoken were 2");
    rows.set(0, withLines(List.of("one", "two", "two")));
    found(ViolationKind.DUPLICATED, "has 3 lines, spoken were 2");
    rows.set(0, withLines(List.of("one", "two", "three")));
    found(ViolationKind.INVENTED, "has 3 lines, spoken were 2");
  }

  @Test
  void aMissingOrWrongNoteOrTwoVersionsOfItAreFound() {
    notes.set(0, new FinalNote(ID, MEETING, List.of("one"), 1));
    found(ViolationKind.ILLEGAL, "the CRM's transcript of recording r1");
    notes.set(0, new FinalNote(ID, MEETING, WORDS, 2));
    found(ViolationKind.DUPLICATED, "the CRM received 2 versions of");
    notes.set(0, new FinalNote(ID, 8, WORDS, 1));
    found(ViolationKind.ILLEGAL, "under meeting 8");
    notes.clear();
    found(ViolationKind.LOST, "the CRM has no note of recording r1");
  }

  @Test
  void aNoteWithOtherPeopleIsFound() {
    MeetingPeople people = new MeetingPeople("ann@example.org", List.of("Ada", "Bea"));
    evidence =
        new RecordingHistory.RecordingEvidence(
            List.of(), StreamRule.Streams.NONE, List.of(), Map.of(MEETING, people), Set.of());
    found(ViolationKind.ILLEGAL, "the CRM has recording r1 (room@1) with");
    notes.set(
        0,
        new FinalNote(ID, MEETING, WORDS, 1, new MeetingPeople("ann@example.org", List.of("Ada"))));
    found(ViolationKind.ILLEGAL, "the CRM has recording r1 (room@1) with");
    notes.set(0, new FinalNote(ID, MEETING, WORDS, 1, people));
    assertThat(check()).isEmpty();
  }

  @Test
  void aNoteWithTheWordsOfAnotherRecordingIsFound() {
    notes.set(0, new FinalNote(ID, MEETING, List.of("one", "two", "three"), 1));
    found(ViolationKind.ILLEGAL, "the CRM's transcript of recording r1");
  }

  @Test
  void workThatWaitsForRedisIsFound() {
    FaultWindow gone = new FaultWindow("away", "redis-gone", T.minusSeconds(1), T.plusSeconds(8));
    away(List.of(gone));
    found(ViolationKind.LOST, "none of [r1] was worked on during");
    away(List.of(new FaultWindow("away", "redis-gone", T.minusSeconds(1), T.plusSeconds(2))));
    assertThat(check()).isEmpty();
    away(List.of(gone, new FaultWindow("kill -9", "server-0", T, T.plusSeconds(3))));
    assertThat(check()).isEmpty();
    away(List.of(gone, new FaultWindow("kill -9", "server-0", T.plusSeconds(8), T.plusSeconds(9))));
    effects.set(0, new OutsideEffect("r2", "transcribe", T.plusSeconds(5)));
    found(ViolationKind.LOST, "none of [r1] was worked on during");
    effects.set(0, new OutsideEffect(ID, "transcribe", T.plusSeconds(5)));
    assertThat(check()).isEmpty();
  }

  private void away(List<FaultWindow> windows) {
    evidence =
        new RecordingHistory.RecordingEvidence(
            windows, StreamRule.Streams.NONE, List.of(), Map.of(), Set.of(ID));
  }

  @Test
  void theSameNoteUnderAnotherKeyIsASecondNote() {
    posts.set(1, new ReceivedNote(ID, "another", "body"));
    transitions.add(move(9, "r2", Optional.of("done"), "ready", 2));
    found(ViolationKind.DUPLICATED, "has the keys another and key in 1 runs");
    transitions.add(move(9, ID, Optional.of("done"), "ready", 2));
    assertThat(check()).noneMatch(violation -> violation.text().contains("has the keys"));
  }

  @Test
  void errorsThatTheCrmReportsAreFound() {
    complaints.add("the same idempotency key with another body");
    found(ViolationKind.REFUSED, "the CRM reports");
  }

  @Test
  void aStepThatRunsAfterItsCommitIsFound() {
    RowChange last = changes.get(3);
    List<StepRow> again = new ArrayList<>(last.steps());
    again.set(0, new StepRow("download", "running", 2));
    changes.set(3, with(last, again, last.lines(), last.syncStatuses()));
    found(ViolationKind.DUPLICATED, "download was StepRow[name=download, state=done, attempts=1]");
  }

  @Test
  void aStepThatIsCommittedWithoutItsOutputIsFound() {
    RowChange transcribed = changes.get(2);
    changes.set(
        2, with(transcribed, transcribed.steps(), List.of("one"), transcribed.syncStatuses()));
    found(ViolationKind.LOST, "transcribe was committed without its output");
  }

  @Test
  void aStepThatIsCommittedBeforeItsSyncStatusIsFound() {
    RowChange pushed = changes.get(5);
    changes.set(5, with(pushed, pushed.steps(), pushed.lines(), Map.of("push", "in_progress")));
    found(ViolationKind.GAP, "push was committed while the sync status was in_progress");
  }

  @Test
  void decreasingEpochsAndTransitionsOutOfAnEndAreFound() {
    RowChange last = changes.get(6);
    changes.add(next(last, "done", 1, 7, last.steps()));
    assertThat(check()).isEmpty();
    changes.add(next(last, "ready", 1, 1, last.steps()));
    found(ViolationKind.SEQUENCE, "run 1, epoch 1 after run 1, epoch 7");
    found(ViolationKind.ILLEGAL, "was done and is ready");
  }

  private static RowChange next(
      RowChange last, String status, int run, long epoch, List<StepRow> steps) {
    return new RowChange(
        8, ID, status, run, epoch, steps, WORDS, last.sha256(), last.documents(), Map.of());
  }

  @Test
  void effectsWithoutAClaimAreFound() {
    effects.add(new OutsideEffect(ID, "transcribe"));
    found(ViolationKind.DUPLICATED, "transcribe of recording r1 (room@1) ran 2 times");
  }

  @Test
  void aJournalThatDiffersFromTheRowsIsFound() {
    RecordingTransition ready = transitions.remove(1);
    found(ViolationKind.ILLEGAL, "from 'ready' to 'processing', it was 'in_progress'");
    transitions.add(1, ready);
    transitions.set(3, move(4, ID, Optional.of("processing"), "done", 2));
    found(ViolationKind.COUNT, "the next run is 1");
    transitions.set(2, move(3, ID, Optional.of("ready"), "done", 1));
    found(ViolationKind.ILLEGAL, "takes recording r1 from 'ready' to 'done'");
  }

  @Test
  void aSyncWhoseEndDiffersFromItsRecordingsIsFound() {
    expectedRecordings.add(
        new ExpectedRecording(
            "r2", "room@2", ExpectedRecording.ExpectedEnd.UNWELCOME, Set.of(MEETING), WORDS));
    rows.add(
        new RecordingEndState(
            "r2", "failed", 1, Optional.of(MEETING), steps(4), WORDS, Optional.empty()));
    found(ViolationKind.ILLEGAL, "the sync of meeting 7 is success, expected failure");
    syncs.set(0, new SyncRow(MEETING, "in_progress", 2, 1));
    found(ViolationKind.OPEN, "the sync of meeting 7 is in_progress, expected failure");
  }

  @Test
  void aSyncThatGoesBackwardsWithinAnAttemptIsFound() {
    syncMoves.add(new SyncTransition(7, MEETING, 3, "success", "in_progress", 1));
    syncMoves.add(new SyncTransition(8, MEETING, 4, "in_progress", "success", 1));
    syncs.set(0, new SyncRow(MEETING, "success", 4, 1));
    found(ViolationKind.SEQUENCE, "went back");
    syncMoves.remove(2);
    found(ViolationKind.GAP, "SyncTransition[seq=8");
    syncMoves.remove(2);
    found(ViolationKind.GAP, "the journal's last is");
  }

  @Test
  void aBlobStoreThatDiffersFromTheRowsIsFound() {
    stored.put("r9", BLOB);
    found(ViolationKind.INVENTED, "the store has audio of r9 without a row");
    stored.put(ID, new RecordingEndState.RecordingBlob(99, "abc"));
    found(ViolationKind.ILLEGAL, "recording r1 has audio");
    stored.remove(ID);
    found(ViolationKind.LOST, "recording r1 has audio");
  }

  @Test
  void responsesOutsideTheContractAreFound() {
    webhooks.add(new TimedReply("recording.started", 503));
    found(
        ViolationKind.REFUSED,
        "a webhook: TimedReply[what=recording.started, target=, status=503,");
    requests.add(new TimedReply("/recordings/r1/match", 500));
    found(
        ViolationKind.REFUSED,
        "a request: TimedReply[what=/recordings/r1/match, target=, status=500,");
  }

  @Test
  void aFailureThatTryingAgainWouldHaveOvercomeIsFound() {
    transitions.add(move(9, ID, Optional.of("processing"), "failed", 1));
    assertThat(check()).noneMatch(found -> found.rule().equals("AutomaticRetryRule"));
    expectedRecordings.set(0, planned(1, 1));
    found(ViolationKind.ILLEGAL, "though trying again would have helped");
  }

  @Test
  void anEffectThatIsRepeatedWithoutACauseIsFound() {
    expectedRecordings.set(0, planned(1, 2));
    assertThat(check()).isEmpty();
    expectedRecordings.set(0, planned(1, 1));
    found(ViolationKind.DUPLICATED, "push of recording r1 (room@1) ran 2 times, was planned 1");
    away(List.of(new FaultWindow("kill -9", "server-0", T.plusSeconds(1), T.plusSeconds(9))));
    found(ViolationKind.DUPLICATED, "push of recording r1 (room@1) ran 2 times, was planned 1");
    away(List.of(new FaultWindow("kill -9", "server-0", T.minusSeconds(1), T.plusSeconds(1))));
    assertThat(check()).isEmpty();
  }

  @Test
  void aRecordingThatFailedForGoodIsBegunAgainOnlyWithItsMeeting() {
    expectedRecordings.set(
        0,
        new ExpectedRecording(
            ID,
            "room@1",
            ExpectedRecording.ExpectedEnd.UNHEARD,
            Set.of(MEETING),
            WORDS,
            new ExpectedRecording.ExpectedWork(0, 2, false)));
    String repeated = "transcribe of recording r1 (room@1) ran 1 times, was planned 0";
    found(ViolationKind.DUPLICATED, repeated);
    requests.add(new TimedReply("/sync-status/" + MEETING + "/retry", 202));
    found(ViolationKind.DUPLICATED, repeated);
    transitions.add(move(9, ID, Optional.of("failed"), "ready", 2));
    assertThat(check()).noneMatch(found -> found.rule().equals("OutsideEffectRule"));
    requests.removeLast();
    found(ViolationKind.DUPLICATED, repeated);
  }

  @Test
  void aRunThatBeginsAtAnotherStepThanWasAskedForIsFound() {
    wishes("transform");
    found(ViolationKind.OPEN, "Optional[transform] is not done");
    RowChange done = changes.getLast();
    rows.set(
        0,
        new RecordingEndState(
            ID, "done", 2, Optional.of(MEETING), steps(5), WORDS, Optional.of(BLOB)));
    changes.add(again(done, 3));
    assertThat(rules()).doesNotContain("RepeatedStepRule", "StepCommitRule");
    changes.set(7, again(done, 2));
    found(ViolationKind.ILLEGAL, "recording r1: run 2 has steps");
    changes.set(7, again(done, 4));
    found(ViolationKind.ILLEGAL, "recording r1: run 2 has steps");
    wishes(ExpectedRecording.DELETE);
    rows.set(0, row("done", steps(5)));
    found(ViolationKind.OPEN, "Optional[delete] is not done");
  }

  @Test
  void aRunAfterAFailureBeginsWhereTheLastStoppedOrAnew() {
    RowChange failed = change(4, "failed", 2);
    assertThat(repeated(failed, again(failed, 2))).isEmpty();
    assertThat(repeated(failed, again(failed, 0))).isEmpty();
    assertThat(repeated(failed, again(failed, 1))).hasSize(1);
    assertThat(repeated(failed, again(failed, 3))).hasSize(1);
    RowChange running = with(again(failed, 2), steps(2), WORDS, Map.of());
    assertThat(repeated(failed, running)).hasSize(1);
  }

  private List<RuleViolation> repeated(RowChange failed, RowChange next) {
    changes.clear();
    changes.addAll(List.of(failed, next));
    return RecordingRunRules.repeatedStep(history());
  }

  @Test
  void anEventThatDoesNotTellItsMeetingIsFound() {
    transitions.set(
        1,
        new RecordingTransition(
            2, ID, Optional.of("in_progress"), "ready", 1, Optional.of(8L), true));
    assertThat(rules()).containsExactly("RecordingEventRule");
    transitions.set(
        1,
        new RecordingTransition(
            2, ID, Optional.of("in_progress"), "ready", 1, Optional.of(MEETING), false));
    assertThat(rules()).containsExactly("RecordingEventRule");
  }

  @Test
  void anEventWithoutAChangeThatIsNotTheFirstWithTheMeetingIsFound() {
    Optional<String> running = Optional.of("in_progress");
    transitions.set(
        0,
        new RecordingTransition(1, ID, Optional.empty(), "in_progress", 0, Optional.empty(), true));
    transitions.add(1, move(2, ID, running, "in_progress", 0));
    assertThat(check()).isEmpty();
    transitions.add(2, move(2, ID, running, "in_progress", 0));
    assertThat(rules()).containsExactly("RecordingEventRule");
  }

  private static RecordingTransition move(
      long seq, String id, Optional<String> from, String to, int run) {
    return new RecordingTransition(seq, id, from, to, run, Optional.of(MEETING), true);
  }

  private void wishes(String wish) {
    ExpectedRecording one = expectedRecordings.getFirst();
    expectedRecordings.set(
        0,
        new ExpectedRecording(
            one.id(),
            one.label(),
            one.end(),
            one.meetings(),
            one.lines(),
            one.work(),
            Optional.of(wish)));
  }

  /** The next run, of which so many steps are over. */
  private static RowChange again(RowChange done, int over) {
    List<StepRow> steps = new ArrayList<>();
    for (int i = 0; i < STEPS.size(); i++) {
      steps.add(new StepRow(STEPS.get(i), i < over ? "done" : "pending", 1));
    }
    return next(done, "ready", 2, done.epoch() + 1, List.copyOf(steps));
  }

  private List<String> rules() {
    return check().stream().map(RuleViolation::rule).distinct().toList();
  }

  private static final Instant T = Instant.EPOCH;

  private static ExpectedRecording planned(int transcriptions, int notes) {
    return new ExpectedRecording(
        ID,
        "room@1",
        ExpectedRecording.ExpectedEnd.DONE,
        Set.of(MEETING),
        WORDS,
        new ExpectedRecording.ExpectedWork(transcriptions, notes, false));
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
    return RecordingChecker.check(history());
  }

  private RecordingHistory history() {
    return new RecordingHistory(
        expectedRecordings,
        rows,
        changes,
        transitions,
        syncMoves,
        syncs,
        effects,
        posts,
        notes,
        stored,
        webhooks,
        requests,
        complaints,
        left,
        Set.of(),
        evidence);
  }

  private static ExpectedRecording truth(ExpectedRecording.ExpectedEnd expectedEnd) {
    return new ExpectedRecording(ID, "room@1", expectedEnd, Set.of(MEETING), WORDS);
  }

  private static RecordingEndState row(String status, List<StepRow> steps) {
    return new RecordingEndState(
        ID, status, 1, Optional.of(MEETING), steps, WORDS, Optional.of(BLOB));
  }

  private static RecordingEndState withLines(List<String> parts) {
    return new RecordingEndState(
        ID, "done", 1, Optional.of(MEETING), steps(5), parts, Optional.of(BLOB));
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
    Map<String, String> syncStatuses = new HashMap<>();
    STEPS.subList(2, Math.max(2, done)).forEach(step -> syncStatuses.put(step, "success"));
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
        syncStatuses);
  }

  private static RowChange with(
      RowChange rowChange,
      List<StepRow> steps,
      List<String> parts,
      Map<String, String> syncStatuses) {
    return new RowChange(
        rowChange.seq(),
        rowChange.id(),
        rowChange.status(),
        rowChange.run(),
        rowChange.epoch(),
        steps,
        parts,
        rowChange.sha256(),
        rowChange.documents(),
        syncStatuses);
  }
}
