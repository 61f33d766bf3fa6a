package io.convoke.lab.chaos.sync.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each rule finds the history that breaks it, and no other. Times are nanoseconds. */
class SyncCheckerTest {
  private static final List<Entry> JOURNAL =
      List.of(
          new Entry(1, 101, 'n', 'i', 1),
          new Entry(2, 102, 'i', 'f', 1),
          new Entry(3, 103, 'f', 'i', 2));

  private static Op write(long id, long version, long start, long end) {
    return new Op(Op.Kind.WRITE, id, version, 'i', start, end);
  }

  private static Op read(long version, long start, long end) {
    return new Op(
        Op.Kind.READ,
        version == 0 ? 0 : 100 + version,
        version,
        "nifi".charAt((int) version),
        start,
        end);
  }

  private static SyncChecker.Result check(Op... ops) {
    return SyncChecker.check(new MeetingHistory("m", List.of(ops), JOURNAL));
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
            new Op(Op.Kind.READ, -1, 3, '?', 71, 72));
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
  void aReadThatShowsSomethingOlderThanAnotherReaderHasSeenIsARegression() {
    finds(Kind.SEQUENCE, check(read(2, 0, 10), read(1, 11, 20)));
    assertThat(check(read(2, 0, 10), read(1, 9, 20)).findings()).as("side by side").isEmpty();
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
    finds(Kind.INVENTED, check(new Op(Op.Kind.READ, 999, 2, 'f', 0, 10)));
    finds(Kind.INVENTED, check(new Op(Op.Kind.READ, 102, 2, 's', 0, 10)));
    finds(Kind.INVENTED, check(new Op(Op.Kind.READ, 104, 4, 'i', 0, 10)));
    assertThat(check(new Op(Op.Kind.STALE_READ, 999, 2, 'f', 0, 10)).wrong()).isEqualTo(1);
  }

  @Test
  void aReadThatSaysThatItIsStaleMayBeLateAndIsMeasured() {
    SyncChecker.Result result =
        check(
            write(101, 1, 0, 10),
            write(102, 2, 11, 20),
            new Op(Op.Kind.STALE_READ, 101, 1, 'i', 100, 110));
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
                List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(2, 101, 'i', 'i', 1)))));
    finds(
        Kind.COUNT,
        SyncChecker.check(
            new MeetingHistory(
                "m",
                List.of(),
                List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(2, 102, 'i', 'i', 2)))));
    finds(
        Kind.ILLEGAL,
        SyncChecker.check(
            new MeetingHistory(
                "m",
                List.of(),
                List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(2, 102, 's', 's', 1)))));
    assertThat(
            SyncChecker.check(
                    new MeetingHistory(
                        "m",
                        List.of(),
                        List.of(new Entry(1, 101, 'n', 'i', 1), new Entry(3, 102, 'i', 's', 1))))
                .findings())
        .extracting(Finding::kind)
        .contains(Kind.GAP);
  }
}
