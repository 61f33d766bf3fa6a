package io.convoke.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.history.PresenceHistory.MeetingRow;
import io.convoke.chaos.history.PresenceHistory.ObservedEvent;
import io.convoke.chaos.history.PresenceHistory.ObservedPresence;
import io.convoke.chaos.history.PresenceHistory.PresenceBounds;
import io.convoke.chaos.history.PresenceHistory.SessionRow;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.StreamRule.ReadStream;
import io.convoke.chaos.kernel.StreamRule.SequencedEvent;
import io.convoke.chaos.kernel.StreamRule.Streams;
import io.convoke.chaos.kernel.TimedReply;
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
final class PresenceCheckerTest {
  private static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");
  private static final long STANDUP = 42;

  /** Ada is present from 10 to 40 s with both events, Bo from 20 to 50 s with neither. */
  private final List<ActualVisit> visits =
      new ArrayList<>(
          List.of(
              new ActualVisit("standup", "ada", at(10), Optional.of(at(40)), true, true),
              new ActualVisit("standup", "bo", at(20), Optional.of(at(50)), false, false)));

  private final List<SessionRow> rows =
      new ArrayList<>(
          List.of(
              new SessionRow(STANDUP, "ada", at(10), Optional.of(at(40))),
              new SessionRow(STANDUP, "bo", at(20), Optional.of(at(45)))));

  private final List<MeetingRow> meetings =
      new ArrayList<>(List.of(new MeetingRow(STANDUP, "standup", "active", 0)));

  private final List<ObservedPresence> reads =
      new ArrayList<>(List.of(read(30, 2, "ada", "bo"), read(60, 0)));

  private final List<ObservedEvent> journal =
      new ArrayList<>(
          List.of(
              status(1, Optional.empty(), "active"),
              person(2, ObservedEvent.JOINED, "ada", 1),
              person(5, ObservedEvent.JOINED, "bo", 2),
              person(6, ObservedEvent.LEFT, "ada", 1),
              person(9, ObservedEvent.LEFT, "bo", 0)));

  private final List<ObservedEvent> stream = new ArrayList<>(journal);

  private final List<FaultWindow> windows = new ArrayList<>();

  private final List<TimedReply> calls =
      new ArrayList<>(
          List.of(
              webhook(10, "participant.joined ada", 200), webhook(40, "participant.left ada", 0)));

  @Test
  void aRightHistoryHasNoFindings() {
    assertThat(findings()).isEmpty();
  }

  @Test
  void aVisitWithoutARowIsLost() {
    rows.removeFirst();
    journal.removeIf(event -> event.sessionId().equals(Optional.of("ada")));
    stream.removeIf(event -> event.sessionId().equals(Optional.of("ada")));
    assertThat(kinds()).containsExactly(ViolationKind.LOST);
  }

  @Test
  void aShortVisitWithoutAnEventMayBeMissing() {
    visits.add(new ActualVisit("standup", "cy", at(30), Optional.of(at(31)), false, false));
    assertThat(findings()).isEmpty();
  }

  @Test
  void whatThePlatformRecordedIsInATrackedMeetingThatIsOver() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "completed", 0));
    List<RuleViolation> before = findings();
    visits.add(new ActualVisit("standup", "cy", at(30), Optional.of(at(31)), false, false));
    assertThat(findings()).isEqualTo(before);
    visits.add(new ActualVisit("standup", "di", at(30), Optional.of(at(33)), false, false));
    assertThat(findings()).hasSize(before.size() + 1);
  }

  @Test
  void aLongVisitWithoutAnEventMayNotBeMissing() {
    visits.add(new ActualVisit("standup", "cy", at(30), Optional.of(at(58)), false, false));
    assertThat(kinds()).containsExactly(ViolationKind.LOST);
  }

  @Test
  void aShortVisitWithOneEventMayNotBeMissing() {
    visits.add(new ActualVisit("standup", "cy", at(30), Optional.of(at(31)), false, true));
    assertThat(kinds()).containsExactly(ViolationKind.LOST);
  }

  @Test
  void twoRowsOfOneVisitAreADuplicate() {
    rows.add(new SessionRow(STANDUP, "ada", at(12), Optional.of(at(40))));
    journal.add(person(10, ObservedEvent.JOINED, "ada", 1));
    journal.add(person(11, ObservedEvent.LEFT, "ada", 0));
    stream.addAll(journal.subList(5, 7));
    assertThat(kinds()).containsExactly(ViolationKind.DUPLICATED, ViolationKind.ILLEGAL);
  }

  @Test
  void aRowWithoutAVisitIsInvented() {
    rows.add(new SessionRow(STANDUP, "ghost", at(12), Optional.of(at(40))));
    journal.add(person(10, ObservedEvent.JOINED, "ghost", 1));
    journal.add(person(11, ObservedEvent.LEFT, "ghost", 0));
    stream.addAll(journal.subList(5, 7));
    assertThat(kinds()).containsExactly(ViolationKind.INVENTED);
  }

  @Test
  void aWrongJoinTimeIsFound() {
    visits.set(0, new ActualVisit("standup", "ada", at(12), Optional.of(at(40)), true, true));
    assertThat(kinds()).containsExactly(ViolationKind.INTERVAL);
  }

  @Test
  void aJoinWithoutAnEventIsAsCoarseAsThePresenceApi() {
    visits.set(0, new ActualVisit("standup", "ada", at(24), Optional.of(at(40)), false, false));
    assertThat(findings()).isEmpty();
    visits.set(0, new ActualVisit("standup", "ada", at(27), Optional.of(at(40)), false, false));
    assertThat(kinds()).containsExactly(ViolationKind.INTERVAL);
  }

  @Test
  void aLeaveWithAnEventMustBeExact() {
    rows.set(0, new SessionRow(STANDUP, "ada", at(10), Optional.of(at(43))));
    assertThat(kinds()).containsExactly(ViolationKind.INTERVAL);
  }

  @Test
  void aLeaveWithoutAnEventMustBeWithinTheBound() {
    rows.set(1, new SessionRow(STANDUP, "bo", at(20), Optional.of(at(25))));
    assertThat(kinds()).containsExactly(ViolationKind.INTERVAL);
  }

  @Test
  void aLeaveWithoutAnEventIsNotLaterThanThePlatformListsIt() {
    rows.set(1, new SessionRow(STANDUP, "bo", at(20), Optional.of(at(55))));
    assertThat(kinds()).containsExactly(ViolationKind.INTERVAL);
  }

  @Test
  void aSessionOpenAfterItsEndIsFound() {
    rows.set(0, new SessionRow(STANDUP, "ada", at(10), Optional.empty()));
    meetings.set(0, new MeetingRow(STANDUP, "standup", "active", 1));
    journal.remove(3);
    stream.remove(3);
    assertThat(kinds()).containsExactly(ViolationKind.OPEN);
  }

  @Test
  void aCountThatDiffersFromItsListIsFound() {
    reads.add(read(35, 3, "ada", "bo"));
    assertThat(kinds()).containsExactly(ViolationKind.COUNT);
  }

  @Test
  void aSessionListedTwiceIsFound() {
    reads.add(read(35, 2, "ada", "ada"));
    assertThat(kinds()).containsExactly(ViolationKind.DUPLICATED);
  }

  @Test
  void aNegativeCountIsFound() {
    journal.set(4, person(9, ObservedEvent.LEFT, "bo", -1));
    stream.set(4, journal.get(4));
    assertThat(kinds()).containsExactly(ViolationKind.COUNT);
  }

  @Test
  void aCountThatIsNotTheNumberOfOpenRowsIsFound() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "active", 1));
    assertThat(kinds()).containsExactly(ViolationKind.COUNT);
  }

  @Test
  void anEventThatTheStreamSkippedIsAGap() {
    stream.remove(2);
    assertThat(kinds()).containsExactly(ViolationKind.GAP);
  }

  @Test
  void anEventThatOnlyTheStreamHasIsAGap() {
    stream.add(person(12, ObservedEvent.JOINED, "bo", 1));
    assertThat(kinds()).containsExactly(ViolationKind.GAP);
  }

  @Test
  void aSequenceThatGoesBackwardsIsFound() {
    stream.add(stream.get(2));
    assertThat(kinds()).containsExactly(ViolationKind.SEQUENCE);
  }

  @Test
  void aSessionThatStartsTwiceIsADuplicate() {
    journal.add(3, person(6, ObservedEvent.JOINED, "ada", 2));
    journal.set(4, person(7, ObservedEvent.LEFT, "ada", 1));
    stream.clear();
    stream.addAll(journal);
    assertThat(kinds()).containsExactly(ViolationKind.DUPLICATED);
  }

  @Test
  void aSessionThatEndsTooEarlyAndComesAgainIsIllegal() {
    journal.addAll(3, List.of(person(6, ObservedEvent.LEFT, "ada", 1)));
    journal.set(4, person(7, ObservedEvent.JOINED, "ada", 2));
    journal.add(5, person(8, ObservedEvent.LEFT, "ada", 1));
    stream.clear();
    stream.addAll(journal);
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void anEndBeforeTheStartIsIllegal() {
    rows.add(new SessionRow(STANDUP, "cy", at(44), Optional.of(at(45))));
    visits.add(new ActualVisit("standup", "cy", at(44), Optional.of(at(45)), true, true));
    journal.add(person(10, ObservedEvent.LEFT, "cy", 0));
    stream.add(journal.getLast());
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aJournalThatReplaysToOtherRowsIsFound() {
    journal.removeLast();
    stream.removeLast();
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aTransitionThatTheLifecycleDoesNotHaveIsIllegal() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "starting", 0));
    journal.add(status(10, Optional.of("active"), "starting"));
    stream.add(journal.getLast());
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aTransitionFromAnotherStateIsIllegal() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "completed", 0));
    journal.add(status(10, Optional.of("stopping"), "completed"));
    stream.add(journal.getLast());
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aRowThatDiffersFromTheJournalIsIllegal() {
    meetings.set(0, new MeetingRow(STANDUP, "standup", "completed", 0));
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void anAuthenticWebhookThatIsRefusedIsFound() {
    calls.add(webhook(41, "participant.left bo", 401));
    assertThat(kinds()).containsExactly(ViolationKind.REFUSED);
  }

  @Test
  void manyWebhooksThatAreAnswered503AreExcusedByAnInjectedFaultOnly() {
    for (int i = 0; i < 10; i++) {
      calls.add(webhook(20 + i, "participant.left bo", 503));
    }
    assertThat(kinds()).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow("kill -9", "server-1", at(19), at(40)));
    assertThat(kinds()).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow("kill -9", "server-0", at(19), at(40)));
    assertThat(findings()).isEmpty();
  }

  @Test
  void aReadThatDoesNotShowWhatAServerWasToldIsFoundUnlessAFaultCameBetween() {
    visits.set(
        0,
        new ActualVisit(
            "standup",
            "ada",
            at(10),
            Optional.of(at(40)),
            true,
            true,
            Optional.of(at(11)),
            Optional.of(at(41))));
    assertThat(findings()).isEmpty();
    reads.add(read(18, 0));
    assertThat(kinds()).containsExactly(ViolationKind.LATE);
    windows.add(new FaultWindow("Redis away", "redis", at(12), at(14)));
    assertThat(findings()).isEmpty();
    reads.set(2, read(23, 1, "bo"));
    assertThat(kinds()).containsExactly(ViolationKind.LATE);
    reads.set(2, read(48, 1, "ada"));
    assertThat(kinds()).containsExactly(ViolationKind.LATE);
    reads.set(2, read(5, 1, "ada"));
    assertThat(kinds()).containsExactly(ViolationKind.LATE);
  }

  @Test
  void aMeetingWithoutItsStatusEventIsIllegal() {
    journal.removeFirst();
    stream.removeFirst();
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aStreamWithAnotherPayloadIsIllegal() {
    stream.set(2, person(5, ObservedEvent.JOINED, "ghost", 2));
    assertThat(kinds()).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void aResponseIsComparedWithTheActualStateOfItsTime() {
    assertThat(PresenceComparison.difference(read(30, 2, "ada", "bo"), visits, "standup", at(30)))
        .isEmpty();
    assertThat(PresenceComparison.difference(read(41, 2, "ada", "bo"), visits, "standup", at(41)))
        .hasValueSatisfying(
            text -> assertThat(text).contains("not listed [], listed but absent [ada from"));
    assertThat(PresenceComparison.difference(read(30, 1, "ada"), visits, "standup", at(30)))
        .hasValueSatisfying(text -> assertThat(text).contains("present but not listed [bo from"));
  }

  private List<RuleViolation> findings() {
    return PresenceChecker.check(
        new PresenceHistory(
            new PresenceBounds(
                Duration.ofSeconds(1),
                Duration.ofSeconds(15),
                Duration.ofSeconds(3),
                Duration.ofSeconds(18),
                Duration.ofSeconds(2)),
            visits,
            rows,
            meetings,
            reads,
            new Streams(
                List.of(new ReadStream("the admin", 0, sequenced(stream))),
                sequenced(journal),
                List.of()),
            journal,
            calls,
            List.of(),
            windows));
  }

  private static List<SequencedEvent> sequenced(List<ObservedEvent> events) {
    return events.stream()
        .map(event -> new SequencedEvent(event.seq(), 0, event.toString()))
        .toList();
  }

  private static TimedReply webhook(int second, String what, int status) {
    return new TimedReply(what, "server-0", status, at(second), at(second + 1));
  }

  private List<ViolationKind> kinds() {
    return findings().stream().map(RuleViolation::kind).toList();
  }

  private static Instant at(int second) {
    return NINE.plusSeconds(second);
  }

  private static ObservedPresence read(int second, int count, String... present) {
    return new ObservedPresence(at(second), at(second), STANDUP, count, List.of(present));
  }

  private static ObservedEvent status(long seq, Optional<String> from, String to) {
    return new ObservedEvent(
        seq,
        ObservedEvent.STATUS,
        STANDUP,
        Optional.empty(),
        Optional.empty(),
        from,
        Optional.of(to));
  }

  private static ObservedEvent person(long seq, String type, String session, int count) {
    return new ObservedEvent(
        seq,
        type,
        STANDUP,
        Optional.of(session),
        Optional.of(count),
        Optional.empty(),
        Optional.empty());
  }
}
