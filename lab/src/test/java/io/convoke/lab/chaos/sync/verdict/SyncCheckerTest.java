package io.convoke.lab.chaos.sync.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each rule finds the history that breaks it, and no other. Times are nanoseconds. */
class SyncCheckerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Outages NO_OUTAGES = new Outages(4 * SECOND, List.of(), List.of());

  private static final List<Entry> JOURNAL =
      List.of(
          new Entry(1, 101, 'n', 'i', 1),
          new Entry(2, 102, 'i', 'f', 1),
          new Entry(3, 103, 'f', 'i', 2));

  private static Op write(long id, long version, long start, long end) {
    return new Op(Op.Kind.WRITE, 1, id, version, 'i', start, end);
  }

  private static Op read(long version, long start, long end) {
    return read(1, version, start, end);
  }

  private static Op read(int node, long version, long start, long end) {
    return new Op(
        Op.Kind.READ,
        node,
        version == 0 ? 0 : 100 + version,
        version,
        "nifi".charAt((int) version),
        start,
        end);
  }

  private static SyncChecker.Result check(Op... ops) {
    return check(NO_OUTAGES, ops);
  }

  private static SyncChecker.Result check(Outages outages, Op... ops) {
    return SyncChecker.check(new MeetingHistory("m", List.of(ops), JOURNAL), outages);
  }

  private static void finds(Kind kind, SyncChecker.Result result) {
    assertThat(result.findings()).extracting(Finding::kind).containsExactly(kind);
  }

  @Test
  void aHistoryThatFitsIsRight() {
    SyncChecker.Result result =
        check(
            read(0, 0, 5),
            write(101, 1, 10, 20),
            read(1, 21, 30),
            write(102, 2, 25, 60),
            read(2, 40, 50),
            read(1, 26, 55),
            write(103, 3, 61, 70),
            new Op(Op.Kind.READ, 1, -1, 3, '?', 71, 72));
    assertThat(result.findings()).isEmpty();
    assertThat(result.staleNanos()).isZero();
  }

  @Test
  void aReadThatShowsSomethingOlderThanWhatWasAcceptedBeforeIsARegression() {
    SyncChecker.Result result = check(write(101, 1, 0, 10), write(102, 2, 11, 20), read(1, 25, 30));
    finds(Kind.SEQUENCE, result);
    assertThat(result.regressions()).isEqualTo(1);
    assertThat(result.staleNanos()).isEqualTo(5);
  }

  @Test
  void aNodeNeverGoesBackAndAnotherOneMayBeLate() {
    finds(Kind.SEQUENCE, check(read(2, 0, 10), read(1, 11, 20)));
    assertThat(check(read(2, 0, 10), read(1, 9, 20)).findings()).as("side by side").isEmpty();
    SyncChecker.Result late = check(read(2, 0, 10), read(2, 1, 11, 20));
    assertThat(late.findings()).isEmpty();
    assertThat(late.staleNanos()).isEqualTo(1);
  }

  @Test
  void allNodesAgreeWithinTwoSecondsWhileBothStoresAnswer() {
    Op known = read(2, 0, SECOND);
    assertThat(check(known, read(2, 1, 3 * SECOND, 4 * SECOND)).findings()).isEmpty();
    Op late = read(2, 1, 3 * SECOND + 1, 4 * SECOND);
    finds(Kind.LATE, check(known, late));
    assertThat(check(outage(false, 2 * SECOND, 2 * SECOND + 1), known, late).findings())
        .as("two seconds after an outage")
        .isEmpty();
    assertThat(check(outage(false, 3 * SECOND, 5 * SECOND), known, late).findings())
        .as("during an outage")
        .isEmpty();
    finds(Kind.LATE, check(outage(false, 0, SECOND), known, late));
  }

  @Test
  void noReadIsOlderThanTheTtlWhateverHappens() {
    Outages outages = outage(false, 0, 20 * SECOND);
    Op known = read(2, 0, SECOND);
    assertThat(check(outages, known, read(2, 1, 8 * SECOND, 9 * SECOND)).findings()).isEmpty();
    finds(Kind.LATE, check(outages, known, read(2, 1, 8 * SECOND + 1, 9 * SECOND)));
  }

  @Test
  void readsAreExactWhileRedisIsAway() {
    Op known = read(2, 0, 10);
    finds(Kind.LATE, check(outage(true, 11, 30), known, read(2, 1, 12, 20)));
    assertThat(check(outage(true, 11, 19), known, read(2, 1, 12, 20)).findings())
        .as("it was back before the answer")
        .isEmpty();
  }

  private static Outages outage(boolean redis, long start, long end) {
    List<Outages.Span> spans = List.of(new Outages.Span(start, end));
    return new Outages(4 * SECOND, redis ? spans : List.of(), spans);
  }

  @Test
  void anUpdateThatWasSeenBeforeItBeganIsWrong() {
    finds(Kind.SEQUENCE, check(read(2, 0, 10), write(102, 2, 11, 20)));
  }

  @Test
  void anUpdateThatTakesAPlaceBeforeOneThatHadEndedIsWrong() {
    finds(Kind.SEQUENCE, check(write(102, 2, 0, 10), write(101, 1, 11, 20)));
  }

  @Test
  void anUpdateThatNobodyAnsweredMayHaveHappenedAtAnyTimeAfterItBegan() {
    assertThat(
            check(write(102, -1, 0, Long.MAX_VALUE), read(1, 50, 60), read(2, 70, 80)).findings())
        .isEmpty();
    assertThat(check(write(999, -1, 0, Long.MAX_VALUE)).findings()).as("or never").isEmpty();
  }

  @Test
  void anAcceptedUpdateThatIsNotThereIsLost() {
    finds(Kind.LOST, check(write(999, 2, 0, 10)));
    finds(Kind.LOST, check(write(102, 3, 0, 10)));
  }

  @Test
  void aReadOfWhatNobodyWroteIsWrong() {
    finds(Kind.INVENTED, check(new Op(Op.Kind.READ, 1, 999, 2, 'f', 0, 10)));
    finds(Kind.INVENTED, check(new Op(Op.Kind.READ, 1, 102, 2, 's', 0, 10)));
    finds(Kind.INVENTED, check(new Op(Op.Kind.READ, 1, 104, 4, 'i', 0, 10)));
    assertThat(check(new Op(Op.Kind.STALE_READ, 1, 999, 2, 'f', 0, 10)).wrong()).isEqualTo(1);
  }

  @Test
  void aReadThatSaysThatItIsStaleMayBeLateAndIsMeasured() {
    SyncChecker.Result result =
        check(
            write(101, 1, 0, 10),
            write(102, 2, 11, 20),
            new Op(Op.Kind.STALE_READ, 1, 101, 1, 'i', 100, 110));
    assertThat(result.findings()).isEmpty();
    assertThat(result.markedNanos()).isEqualTo(80);
  }

  @Test
  void theJournalIsWholeAndCountsRight() {
    finds(
        Kind.DUPLICATED,
        SyncChecker.check(
            new MeetingHistory(
                "m",
                List.of(),
                List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(2, 101, 'i', 'i', 1))),
            NO_OUTAGES));
    finds(
        Kind.COUNT,
        SyncChecker.check(
            new MeetingHistory(
                "m",
                List.of(),
                List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(2, 102, 'i', 'i', 2))),
            NO_OUTAGES));
    finds(
        Kind.ILLEGAL,
        SyncChecker.check(
            new MeetingHistory(
                "m",
                List.of(),
                List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(2, 102, 's', 's', 1))),
            NO_OUTAGES));
    assertThat(
            SyncChecker.check(
                    new MeetingHistory(
                        "m",
                        List.of(),
                        List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(3, 102, 'i', 's', 1))),
                    NO_OUTAGES)
                .findings())
        .extracting(Finding::kind)
        .contains(Kind.GAP);
  }
}
