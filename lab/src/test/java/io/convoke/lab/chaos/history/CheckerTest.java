package io.convoke.lab.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * One good history, written by hand, and one change for each way of being wrong. A rule that does
 * not find its own fault, or finds another's, fails here.
 */
final class CheckerTest {
  private static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");
  private static final long STANDUP = 42;

  /** Ada stays from 10 to 40 s with both events, Bo from 20 to 50 s with neither. */
  private final List<Visit> visits =
      new ArrayList<>(
          List.of(
              new Visit("standup", "ada", at(10), Optional.of(at(40)), true, true),
              new Visit("standup", "bo", at(20), Optional.of(at(50)), false, false)));

  private final List<Row> rows =
      new ArrayList<>(
          List.of(
              new Row(STANDUP, "ada", at(10), Optional.of(at(40))),
              new Row(STANDUP, "bo", at(20), Optional.of(at(45)))));

  private final List<MeetingRow> meetings =
      new ArrayList<>(List.of(new MeetingRow(STANDUP, "standup", "active", 0)));

  private final List<Look> looks = new ArrayList<>(List.of(look(30, 2, "ada", "bo"), look(60, 0)));

  private final List<Told> journal =
      new ArrayList<>(
          List.of(
              status(1, Optional.empty(), "active"),
              person(2, Told.JOINED, "ada", 1),
              person(5, Told.JOINED, "bo", 2),
              person(6, Told.LEFT, "ada", 1),
              person(9, Told.LEFT, "bo", 0)));

  private final List<Told> stream = new ArrayList<>(journal);

  private final List<Call> calls =
      new ArrayList<>(
          List.of(
              new Call(at(10), "participant.joined ada", Optional.of(200)),
              new Call(at(40), "participant.left ada", Optional.empty())));

  @Test
  void aRightHistoryHasNoFindings() {
    assertThat(findings()).isEmpty();
  }

  @Test
  void aVisitWithoutARowIsLost() {
    rows.removeFirst();
    journal.removeIf(event -> event.sessionId().equals(Optional.of("ada")));
    stream.removeIf(event -> event.sessionId().equals(Optional.of("ada")));
    assertThat(kinds()).containsExactly(Kind.LOST);
  }

  @Test
  void aShortVisitThatNobodyToldOfMayBeMissing() {
    visits.add(new Visit("standup", "cy", at(30), Optional.of(at(31)), false, false));
    assertThat(findings()).isEmpty();
  }

  @Test
  void aLongVisitThatNobodyToldOfMayNot() {
    visits.add(new Visit("standup", "cy", at(30), Optional.of(at(58)), false, false));
    assertThat(kinds()).containsExactly(Kind.LOST);
  }

  @Test
  void aShortVisitOfWhichOneEventArrivedMayNot() {
    visits.add(new Visit("standup", "cy", at(30), Optional.of(at(31)), false, true));
    assertThat(kinds()).containsExactly(Kind.LOST);
  }

  @Test
  void twoRowsOfOneVisitAreADuplicate() {
    rows.add(new Row(STANDUP, "ada", at(12), Optional.of(at(40))));
    journal.add(person(10, Told.JOINED, "ada", 1));
    journal.add(person(11, Told.LEFT, "ada", 0));
    stream.addAll(journal.subList(5, 7));
    assertThat(kinds()).containsExactly(Kind.DUPLICATED);
  }

  @Test
  void aRowOfNobodyIsInvented() {
    rows.add(new Row(STANDUP, "ghost", at(12), Optional.of(at(40))));
    journal.add(person(10, Told.JOINED, "ghost", 1));
    journal.add(person(11, Told.LEFT, "ghost", 0));
    stream.addAll(journal.subList(5, 7));
    assertThat(kinds()).containsExactly(Kind.INVENTED);
  }

  @Test
  void aWrongBeginningIsFound() {
    visits.set(0, new Visit("standup", "ada", at(12), Optional.of(at(40)), true, true));
    assertThat(kinds()).containsExactly(Kind.INTERVAL);
  }

  @Test
  void aBeginningThatNoEventToldIsAsCoarseAsWhatThePlatformShows() {
    visits.set(0, new Visit("standup", "ada", at(24), Optional.of(at(40)), false, false));
    assertThat(findings()).isEmpty();
    visits.set(0, new Visit("standup", "ada", at(27), Optional.of(at(40)), false, false));
    assertThat(kinds()).containsExactly(Kind.INTERVAL);
  }

  @Test
  void anEndThatAnEventToldMustBeExact() {
    rows.set(0, new Row(STANDUP, "ada", at(10), Optional.of(at(43))));
    assertThat(kinds()).containsExactly(Kind.INTERVAL);
  }

  @Test
  void anEndThatNoEventToldMustBeWithinTheBound() {
    rows.set(1, new Row(STANDUP, "bo", at(20), Optional.of(at(25))));
    assertThat(kinds()).containsExactly(Kind.INTERVAL);
  }

  @Test
  void anEndThatNoEventToldIsNotLaterThanThePlatformShowsPeople() {
    rows.set(1, new Row(STANDUP, "bo", at(20), Optional.of(at(55))));
    assertThat(kinds()).containsExactly(Kind.INTERVAL);
  }

  @Test
  void aSessionOpenAfterItsEndIsFound() {
    rows.set(0, new Row(STANDUP, "ada", at(10), Optional.empty()));
    meetings.set(0, new MeetingRow(STANDUP, "standup", "active", 1));
    journal.remove(3);
    stream.remove(3);
    assertThat(kinds()).containsExactly(Kind.OPEN);
  }

  @Test
  void aCountBesideItsListIsFound() {
    looks.add(look(35, 3, "ada", "bo"));
    assertThat(kinds()).containsExactly(Kind.COUNT);
  }

  @Test
  void aSessionListedTwiceIsFound() {
    looks.add(look(35, 2, "ada", "ada"));
    assertThat(kinds()).containsExactly(Kind.DUPLICATED);
  }

  @Test
  void aNegativeCountIsFound() {
    journal.set(4, person(9, Told.LEFT, "bo", -1));
    assertThat(kinds()).containsExactly(Kind.COUNT);
  }

  @Test
  void aCountThatIsNotTheNumberOfOpenRowsIsFound() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "active", 1));
    assertThat(kinds()).containsExactly(Kind.COUNT);
  }

  @Test
  void anEventThatTheStreamLeftOutIsAGap() {
    stream.remove(2);
    assertThat(kinds()).containsExactly(Kind.GAP);
  }

  @Test
  void anEventThatOnlyTheStreamKnowsIsAGap() {
    stream.add(person(12, Told.JOINED, "bo", 1));
    assertThat(kinds()).containsExactly(Kind.GAP);
  }

  @Test
  void aSequenceThatGoesBackIsFound() {
    stream.add(stream.get(2));
    assertThat(kinds()).containsExactly(Kind.SEQUENCE);
  }

  @Test
  void aStayThatBeginsTwiceIsADuplicate() {
    journal.add(3, person(6, Told.JOINED, "ada", 2));
    journal.set(4, person(7, Told.LEFT, "ada", 1));
    stream.clear();
    stream.addAll(journal);
    assertThat(kinds()).containsExactly(Kind.DUPLICATED);
  }

  @Test
  void anEndBeforeTheBeginningIsIllegal() {
    rows.add(new Row(STANDUP, "cy", at(44), Optional.of(at(45))));
    visits.add(new Visit("standup", "cy", at(44), Optional.of(at(45)), true, true));
    journal.add(person(10, Told.LEFT, "cy", 0));
    stream.add(journal.getLast());
    assertThat(kinds()).containsExactly(Kind.ILLEGAL);
  }

  @Test
  void aJournalThatReplaysToOtherRowsIsFound() {
    journal.removeLast();
    stream.removeLast();
    assertThat(kinds()).containsExactly(Kind.ILLEGAL);
  }

  @Test
  void aMoveThatTheLifecycleDoesNotHaveIsIllegal() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "starting", 0));
    journal.add(status(10, Optional.of("active"), "starting"));
    stream.add(journal.getLast());
    assertThat(kinds()).containsExactly(Kind.ILLEGAL);
  }

  @Test
  void aMoveFromAnotherStateIsIllegal() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "completed", 0));
    journal.add(status(10, Optional.of("stopping"), "completed"));
    stream.add(journal.getLast());
    assertThat(kinds()).containsExactly(Kind.ILLEGAL);
  }

  @Test
  void aRowThatIsNotWhereTheJournalLeftItIsIllegal() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "completed", 0));
    assertThat(kinds()).containsExactly(Kind.ILLEGAL);
  }

  @Test
  void anAuthenticWebhookThatIsRefusedIsFound() {
    calls.add(new Call(at(41), "participant.left bo", Optional.of(401)));
    assertThat(kinds()).containsExactly(Kind.REFUSED);
  }

  @Test
  void anAnswerIsComparedWithTheTruthOfItsTime() {
    assertThat(Convergence.difference(look(30, 2, "ada", "bo"), visits, "standup", at(30)))
        .isEmpty();
    assertThat(Convergence.difference(look(41, 2, "ada", "bo"), visits, "standup", at(41)))
        .hasValueSatisfying(
            text -> assertThat(text).contains("not shown [], shown but gone [ada from"));
    assertThat(Convergence.difference(look(30, 1, "ada"), visits, "standup", at(30)))
        .hasValueSatisfying(text -> assertThat(text).contains("there but not shown [bo from"));
  }

  private List<Finding> findings() {
    return Checker.check(
        new History(
            new Bounds(
                Duration.ofSeconds(1),
                Duration.ofSeconds(15),
                Duration.ofSeconds(3),
                Duration.ofSeconds(18)),
            visits,
            rows,
            meetings,
            looks,
            stream,
            journal,
            calls));
  }

  private List<Kind> kinds() {
    return findings().stream().map(Finding::kind).toList();
  }

  private static Instant at(int second) {
    return NINE.plusSeconds(second);
  }

  private static Look look(int second, int count, String... present) {
    return new Look(at(second), at(second), STANDUP, count, List.of(present));
  }

  private static Told status(long seq, Optional<String> from, String to) {
    return new Told(
        seq, Told.STATUS, STANDUP, Optional.empty(), Optional.empty(), from, Optional.of(to));
  }

  private static Told person(long seq, String type, String session, int count) {
    return new Told(
        seq,
        type,
        STANDUP,
        Optional.of(session),
        Optional.of(count),
        Optional.empty(),
        Optional.empty());
  }
}
