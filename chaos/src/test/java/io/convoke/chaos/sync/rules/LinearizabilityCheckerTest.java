package io.convoke.chaos.sync.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each rule finds the history that breaks it, and no other. Times are nanoseconds. */
class LinearizabilityCheckerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Outages NO_OUTAGES = new Outages(4 * SECOND, List.of(), List.of());

  private static final List<AppliedUpdate> JOURNAL =
      List.of(
          new AppliedUpdate(1, 101, 'n', 'i', 1),
          new AppliedUpdate(2, 102, 'i', 'f', 1),
          new AppliedUpdate(3, 103, 'f', 'i', 2));

  private static SyncCall write(long id, long version, long start, long end) {
    return new SyncCall(SyncCall.SyncCallKind.WRITE, 1, id, version, 'i', start, end);
  }

  private static SyncCall read(long version, long start, long end) {
    return read(1, version, start, end);
  }

  private static SyncCall read(int node, long version, long start, long end) {
    return new SyncCall(
        SyncCall.SyncCallKind.READ,
        node,
        version == 0 ? 0 : 100 + version,
        version,
        "nifi".charAt((int) version),
        start,
        end);
  }

  private static LinearizabilityChecker.CheckResult check(SyncCall... ops) {
    return check(NO_OUTAGES, ops);
  }

  private static LinearizabilityChecker.CheckResult check(Outages outages, SyncCall... ops) {
    return LinearizabilityChecker.check(new MeetingHistory("m", List.of(ops), JOURNAL), outages);
  }

  private static void finds(
      ViolationKind violationKind, LinearizabilityChecker.CheckResult checkResult) {
    assertThat(checkResult.findings())
        .extracting(RuleViolation::kind)
        .containsExactly(violationKind);
  }

  @Test
  void aLinearizableHistoryHasNoFindings() {
    LinearizabilityChecker.CheckResult checkResult =
        check(
            read(0, 0, 5),
            write(101, 1, 10, 20),
            read(1, 21, 30),
            write(102, 2, 25, 60),
            read(2, 40, 50),
            read(1, 26, 55),
            write(103, 3, 61, 70),
            new SyncCall(SyncCall.SyncCallKind.READ, 1, -1, 3, '?', 71, 72));
    assertThat(checkResult.findings()).isEmpty();
    assertThat(checkResult.staleNanos()).isZero();
  }

  @Test
  void anUpdateWhoseWriterDiedIsShownSoonAfterItsCommit() {
    RunClock clock = new RunClock();
    Outages outages = new Outages(6 * SECOND, List.of(), List.of(), List.of(), List.of(), clock);
    long committed = clock.nanos(clock.instant(System.nanoTime()));
    AppliedUpdate update =
        new AppliedUpdate(
            1,
            101,
            'n',
            'i',
            1,
            new SyncCall.SyncDetail("JobA", clock.instant(committed).toString()));
    SyncCall unanswered =
        new SyncCall(SyncCall.SyncCallKind.WRITE, 1, 101, -1, 'i', committed, Long.MAX_VALUE);
    assertThat(lateReads(outages, update, unanswered, committed + 2 * SECOND)).isEmpty();
    assertThat(lateReads(outages, update, unanswered, committed + 4 * SECOND))
        .containsExactly(ViolationKind.LATE);
  }

  /** The violations if a read at this time shows nothing yet. */
  private static List<ViolationKind> lateReads(
      Outages outages, AppliedUpdate update, SyncCall unanswered, long start) {
    return LinearizabilityChecker.check(
            new MeetingHistory(
                "m", List.of(unanswered, read(0, start, start + 1)), List.of(update)),
            outages)
        .findings()
        .stream()
        .map(RuleViolation::kind)
        .toList();
  }

  @Test
  void aReadWhilePostgresHasBeenAwayForLongIsMarked() {
    Outages outages =
        new Outages(
            9 * SECOND,
            List.of(),
            List.of(new Outages.Span(0, 7 * SECOND)),
            List.of(new Outages.Span(0, 7 * SECOND)),
            List.of(new Outages.Span(0, 7 * SECOND)),
            new RunClock());
    assertThat(check(outages, read(3, 2 * SECOND, 3 * SECOND)).findings()).isEmpty();
    assertThat(check(outages, read(3, 5 * SECOND, 8 * SECOND)).findings()).isEmpty();
    finds(ViolationKind.ILLEGAL, check(outages, read(3, 3 * SECOND, 4 * SECOND)));
  }

  @Test
  void aReadOlderThanAnAcceptedUpdateIsARegression() {
    LinearizabilityChecker.CheckResult checkResult =
        check(write(101, 1, 0, 10), write(102, 2, 11, 20), read(1, 25, 30));
    finds(ViolationKind.SEQUENCE, checkResult);
    assertThat(checkResult.regressions()).isEqualTo(1);
    assertThat(checkResult.staleNanos()).isEqualTo(5);
  }

  @Test
  void aNodeNeverGoesBackwardsAndAnotherOneMayBeLate() {
    finds(ViolationKind.SEQUENCE, check(read(2, 0, 10), read(1, 11, 20)));
    finds(ViolationKind.SEQUENCE, check(read(3, 0, 10), read(1, 11, 20)));
    assertThat(check(read(2, 0, 10), read(1, 9, 20)).findings()).as("side by side").isEmpty();
    LinearizabilityChecker.CheckResult late = check(read(2, 0, 10), read(2, 1, 11, 20));
    assertThat(late.findings()).isEmpty();
    assertThat(late.staleNanos()).isEqualTo(1);
  }

  @Test
  void allNodesAgreeWithinTwoSecondsWhileBothStoresAnswer() {
    SyncCall known = read(2, 0, SECOND);
    assertThat(check(known, read(2, 1, 3 * SECOND, 4 * SECOND)).findings()).isEmpty();
    SyncCall late = read(2, 1, 3 * SECOND + 1, 4 * SECOND);
    finds(ViolationKind.LATE, check(known, late));
    assertThat(check(known, late).findings())
        .singleElement()
        .asString()
        .containsPattern("READ of version 1 on node 2, 2000.0 ms late: while both stores answered");
    assertThat(check(outage(false, 2 * SECOND, 2 * SECOND + 1), known, late).findings())
        .as("two seconds after an outage")
        .isEmpty();
    assertThat(check(outage(false, 3 * SECOND, 5 * SECOND), known, late).findings())
        .as("during an outage")
        .isEmpty();
    finds(ViolationKind.LATE, check(outage(false, 0, SECOND), known, late));
  }

  @Test
  void noReadIsOlderThanTheTtlWhateverHappens() {
    Outages outages = outage(false, 0, 20 * SECOND);
    SyncCall known = read(2, 0, SECOND);
    assertThat(check(outages, known, read(2, 1, 8 * SECOND, 9 * SECOND)).findings()).isEmpty();
    finds(ViolationKind.LATE, check(outages, known, read(2, 1, 8 * SECOND + 1, 9 * SECOND)));
  }

  @Test
  void readsAreExactWhileRedisIsDown() {
    SyncCall known = read(2, 0, 10);
    finds(ViolationKind.LATE, check(outage(true, 11, 30), known, read(2, 1, 12, 20)));
    assertThat(check(outage(true, 11, 19), known, read(2, 1, 12, 20)).findings())
        .as("it was back before the answer")
        .isEmpty();
  }

  @Test
  void aReadWithAnotherStepThanTheJournalIsInvented() {
    AppliedUpdate applied =
        new AppliedUpdate(
            1, 101, 'n', 'i', 1, new SyncCall.SyncDetail("JobA", "2026-01-01T10:00:00Z"));
    assertThat(shown(applied, "JobA").findings()).isEmpty();
    finds(ViolationKind.INVENTED, shown(applied, "JobB"));
  }

  private static LinearizabilityChecker.CheckResult shown(AppliedUpdate applied, String step) {
    SyncCall read =
        new SyncCall(
            SyncCall.SyncCallKind.READ,
            1,
            101,
            1,
            'i',
            new SyncCall.SyncDetail(step, "2026-01-01T10:00:00Z"),
            0,
            10);
    return LinearizabilityChecker.check(
        new MeetingHistory("m", List.of(read), List.of(applied)), NO_OUTAGES);
  }

  @Test
  void anUpdateIsInTheJournalWithItsStepAndATimeOfItsCall() {
    assertThat(written("JobA", Duration.ZERO).findings()).isEmpty();
    for (LinearizabilityChecker.CheckResult other :
        List.of(written("JobB", Duration.ZERO), written("JobA", Duration.ofSeconds(9)))) {
      finds(ViolationKind.INVENTED, other);
      assertThat(other.wrong()).isEqualTo(1);
    }
  }

  /** An update of step JobA, which the journal has with this step, this long after its begin. */
  private static LinearizabilityChecker.CheckResult written(String step, Duration after) {
    RunClock clock = new RunClock();
    long start = System.nanoTime();
    String time = clock.instant(start).plus(after).toString();
    SyncCall call =
        new SyncCall(
            SyncCall.SyncCallKind.WRITE,
            1,
            101,
            1,
            'i',
            new SyncCall.SyncDetail("JobA", ""),
            start,
            start + SECOND);
    AppliedUpdate applied =
        new AppliedUpdate(1, 101, 'n', 'i', 1, new SyncCall.SyncDetail(step, time));
    return LinearizabilityChecker.check(
        new MeetingHistory("m", List.of(call), List.of(applied)),
        new Outages(6 * SECOND, List.of(), List.of(), List.of(), List.of(), clock));
  }

  private static Outages outage(boolean redis, long start, long end) {
    List<Outages.Span> spans = List.of(new Outages.Span(start, end));
    return new Outages(4 * SECOND, redis ? spans : List.of(), spans);
  }

  @Test
  void anUpdateThatWasSeenBeforeItBeganIsWrong() {
    finds(ViolationKind.SEQUENCE, check(read(2, 0, 10), write(102, 2, 11, 20)));
  }

  @Test
  void anUpdateOrderedBeforeOneThatHadEndedIsWrong() {
    LinearizabilityChecker.CheckResult checkResult =
        check(write(102, 2, 0, 10), write(101, 1, 11, 20));
    finds(ViolationKind.SEQUENCE, checkResult);
    assertThat(checkResult.regressions()).isEqualTo(1);
  }

  @Test
  void aCallThatBeginsAtTheMomentInWhichANewerVersionIsKnownIsRight() {
    assertThat(check(write(102, 2, 0, 10), write(101, 1, 10, 20)).findings()).isEmpty();
    assertThat(check(read(2, 2, 0, 5), read(2, 0, 10), read(1, 10, 20)).findings())
        .as("another node knew it before")
        .isEmpty();
  }

  @Test
  void anUnansweredUpdateMayTakeEffectAtAnyTimeAfterItBegan() {
    assertThat(
            check(write(102, -1, 0, Long.MAX_VALUE), read(1, 50, 60), read(2, 70, 80)).findings())
        .isEmpty();
    assertThat(check(write(999, -1, 0, Long.MAX_VALUE)).findings())
        .as("an update without an answer may have no effect")
        .isEmpty();
  }

  @Test
  void aMissingAcceptedUpdateIsLost() {
    for (SyncCall call :
        List.of(write(999, 2, 0, 10), write(102, 3, 0, 10), write(101, 0, 0, 10))) {
      finds(ViolationKind.LOST, check(call));
      assertThat(check(call).wrong()).isEqualTo(1);
    }
  }

  @Test
  void aReadOfAnUnwrittenValueIsWrong() {
    finds(
        ViolationKind.INVENTED,
        check(new SyncCall(SyncCall.SyncCallKind.READ, 1, 999, 2, 'f', 0, 10)));
    finds(
        ViolationKind.INVENTED,
        check(new SyncCall(SyncCall.SyncCallKind.READ, 1, 0, 2, 'f', 0, 10)));
    finds(
        ViolationKind.INVENTED,
        check(new SyncCall(SyncCall.SyncCallKind.READ, 1, 102, 2, 's', 0, 10)));
    finds(
        ViolationKind.INVENTED,
        check(new SyncCall(SyncCall.SyncCallKind.READ, 1, 104, 4, 'i', 0, 10)));
    assertThat(check(new SyncCall(SyncCall.SyncCallKind.STALE_READ, 1, 999, 2, 'f', 0, 10)).wrong())
        .isEqualTo(1);
  }

  @Test
  void allCallsCountAndOfEachKindTheFirstFiveFindingsAreShown() {
    SyncCall read = new SyncCall(SyncCall.SyncCallKind.STALE_READ, 1, 999, 2, 'f', 0, 10);
    LinearizabilityChecker.CheckResult six =
        check(outage(false, 0, 20), read, read, read, read, read, read);
    assertThat(six.findings()).hasSize(5);
    assertThat(six.wrong()).isEqualTo(6);
    assertThat(six.operations()).isEqualTo(6);
    assertThat(six.markedReads()).isEqualTo(6);
    assertThat(check(read(0, 0, 5)).markedReads()).isZero();
  }

  @Test
  void aReadMarkedAsStaleMayBeLateAndIsMeasured() {
    SyncCall stale = new SyncCall(SyncCall.SyncCallKind.STALE_READ, 1, 101, 1, 'i', 100, 110);
    LinearizabilityChecker.CheckResult checkResult =
        check(outage(false, 90, 120), write(101, 1, 0, 10), write(102, 2, 11, 20), stale);
    assertThat(checkResult.findings()).isEmpty();
    finds(ViolationKind.ILLEGAL, check(write(101, 1, 0, 10), stale));
    assertThat(checkResult.markedNanos()).isEqualTo(80);
  }

  @Test
  void theJournalIsCompleteAndItsCountsAreRight() {
    finds(ViolationKind.DUPLICATED, second(new AppliedUpdate(2, 101, 'i', 'i', 1)));
    finds(ViolationKind.COUNT, second(new AppliedUpdate(2, 102, 'i', 'i', 2)));
    finds(ViolationKind.ILLEGAL, second(new AppliedUpdate(2, 102, 's', 's', 1)));
    SyncCall.SyncDetail detail = new SyncCall.SyncDetail("JobA", "2026-01-01T10:00:00Z");
    finds(ViolationKind.GAP, second(new AppliedUpdate(3, 102, 'i', 's', 1, detail)));
    finds(ViolationKind.GAP, second(new AppliedUpdate(4, 102, 'i', 's', 1, detail)));
  }

  /** What is found if the journal has this update after the first. */
  private static LinearizabilityChecker.CheckResult second(AppliedUpdate update) {
    return LinearizabilityChecker.check(
        new MeetingHistory("m", List.of(), List.of(JOURNAL.getFirst(), update)), NO_OUTAGES);
  }
}
