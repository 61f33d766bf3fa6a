package io.convoke.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.history.PresenceHistory.EventDetails;
import io.convoke.chaos.history.PresenceHistory.MeetingRow;
import io.convoke.chaos.history.PresenceHistory.ObservedEvent;
import io.convoke.chaos.history.PresenceHistory.PresenceBounds;
import io.convoke.chaos.history.PresenceHistory.PresenceEnd;
import io.convoke.chaos.history.PresenceHistory.RoomMeetings;
import io.convoke.chaos.history.PresenceHistory.SessionRow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule.Streams;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A room with two meetings, of which one is over, and a bot's meeting: one change for each fault.
 */
final class ParticipantRulesTest {
  private static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");
  private static final long FIRST = 1;
  private static final long SECOND = 2;
  private static final long USER = 7;

  /** Ada is in the first meeting, which ends when she leaves; Bo in the second. */
  private final List<ActualVisit> visits =
      new ArrayList<>(
          List.of(visit("ada", 10, Optional.of(at(40))), visit("bo", 80, Optional.empty())));

  private final List<SessionRow> rows =
      new ArrayList<>(
          List.of(
              row(FIRST, "ada", 10, Optional.of(at(40))), row(SECOND, "bo", 80, Optional.empty())));

  private final List<MeetingRow> meetings =
      new ArrayList<>(
          List.of(
              meeting(FIRST, "completed", 0, true, 5, Optional.of(at(40))),
              meeting(SECOND, "active", 1, true, 78, Optional.empty())));

  private final List<ObservedEvent> journal =
      new ArrayList<>(
          List.of(
              status(1, FIRST, Optional.empty(), "active"),
              joined(2, FIRST, "ada", 1, 10),
              left(3, FIRST, "ada", 0, 10, 40),
              status(4, FIRST, Optional.of("active"), "completed"),
              status(5, SECOND, Optional.empty(), "active"),
              joined(6, SECOND, "bo", 1, 80)));

  private List<String> statuses = List.of("completed", "active");

  @Test
  void aRightHistoryHasNoFindings() {
    assertThat(rules()).isEmpty();
  }

  @Test
  void aVisitInTheNextMeetingOfItsRoomIsFound() {
    rows.add(row(SECOND, "ada", 10, Optional.of(at(40))));
    assertThat(rules()).contains("RecordedVisitRule");
    rows.set(2, row(FIRST, "bo", 80, Optional.of(at(81))));
    assertThat(rules()).contains("RecordedVisitRule");
  }

  @Test
  void aVisitThatTheHistoryOfThePlatformShowsIsNotLost() {
    visits.add(new ActualVisit("room", "cy", at(20), Optional.of(at(21)), false, false));
    assertThat(rules()).containsExactly("RecordedVisitRule");
  }

  /** Its time is as coarse as polls, and so is an end that no event told. */
  @Test
  void aVisitThatOnlyAPollShowedMayBeInTheMeetingThatEndedJustBeforeIt() {
    rows.add(row(FIRST, "cy", 31, Optional.of(at(40))));
    visits.add(new ActualVisit("room", "cy", at(45), Optional.of(at(48)), false, false));
    assertThat(rules()).doesNotContain("RecordedVisitRule");
    visits.set(2, new ActualVisit("room", "cy", at(60), Optional.of(at(63)), false, false));
    assertThat(rules()).contains("RecordedVisitRule");
    visits.set(2, new ActualVisit("room", "cy", at(45), Optional.of(at(48)), true, false));
    assertThat(rules()).contains("RecordedVisitRule");
  }

  @Test
  void aSessionThatOutlastsTheMeetingOfItsBotIsFound() {
    meetings.add(meeting(3, "failed", 0, false, 79, Optional.of(at(90))));
    journal.add(status(7, 3, Optional.empty(), "reserved"));
    journal.add(status(8, 3, Optional.of("reserved"), "failed"));
    assertThat(rules()).as("known too late").isEmpty();
    rows.add(row(3, "bo", 80, Optional.of(at(90))));
    journal.add(joined(9, 3, "bo", 1, 80));
    journal.add(left(10, 3, "bo", 0, 80, 90));
    assertThat(rules()).isEmpty();
    rows.set(2, row(3, "bo", 80, Optional.of(at(95))));
    assertThat(rules()).containsExactly("RecordedVisitRule");
  }

  @Test
  void aMoveThatOnlyBotsMakeIsFoundInATrackedMeeting() {
    journal.set(0, status(1, FIRST, Optional.empty(), "reserved"));
    assertThat(rules()).contains("LifecycleRule");
  }

  @Test
  void aSessionOfAnotherPersonIsFound() {
    rows.set(0, new SessionRow(FIRST, "ada", at(10), Optional.of(at(40)), of("bo"), of("Ada")));
    assertThat(rules()).containsExactly("SessionPersonRule");
    rows.set(
        0, new SessionRow(FIRST, "ada", at(10), Optional.of(at(40)), of("ada"), Optional.empty()));
    assertThat(rules()).as("the join event told the name").containsExactly("SessionPersonRule");
  }

  @Test
  void anEventWithAWrongFieldIsFound() {
    journal.set(1, event(2, FIRST, "ada", 1, details(SECOND, USER, "ada", 10, at(10))));
    assertThat(rules()).containsExactly("ParticipantEventRule");
    journal.set(1, event(2, FIRST, "ada", 1, details(FIRST, 8, "ada", 10, at(10))));
    assertThat(rules()).containsExactly("ParticipantEventRule");
    journal.set(1, event(2, FIRST, "ada", 1, details(FIRST, USER, "bo", 10, at(10))));
    assertThat(rules()).containsExactly("ParticipantEventRule");
    journal.set(1, event(2, FIRST, "ada", 1, details(FIRST, USER, "ada", 10, at(11))));
    assertThat(rules()).containsExactly("ParticipantEventRule");
    journal.set(1, event(2, FIRST, "ada", 1, details(FIRST, USER, "ada", 30, at(30))));
    assertThat(rules()).containsExactly("ParticipantEventRule");
    journal.set(1, joined(2, FIRST, "ada", 2, 10));
    assertThat(rules()).containsExactly("ParticipantEventRule");
  }

  @Test
  void anotherNumberOfMeetingsOrAnEndAtAnotherTimeIsFound() {
    statuses = List.of("active");
    assertThat(rules()).containsExactly("RoomMeetingsRule");
    statuses = List.of("completed", "active");
    meetings.set(0, meeting(FIRST, "completed", 0, true, 5, Optional.of(at(75))));
    assertThat(rules()).containsExactly("RoomMeetingsRule");
  }

  private List<String> rules() {
    return PresenceChecker.check(
            new PresenceHistory(
                new PresenceBounds(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(18),
                    Duration.ofMillis(100)),
                visits,
                rows,
                meetings,
                List.of(),
                Streams.NONE,
                journal,
                List.of(),
                List.of(),
                List.of(),
                new PresenceEnd(List.of(new RoomMeetings("room", statuses)), List.of())))
        .stream()
        .map(RuleViolation::rule)
        .distinct()
        .toList();
  }

  private static ActualVisit visit(String person, int from, Optional<Instant> to) {
    Optional<String> name = of(name(person));
    return new ActualVisit(
        "room",
        person,
        at(from),
        to,
        true,
        true,
        Optional.empty(),
        Optional.empty(),
        of(person),
        name,
        name);
  }

  private static SessionRow row(long meeting, String person, int from, Optional<Instant> to) {
    return new SessionRow(meeting, person, at(from), to, of(person), of(name(person)));
  }

  private static MeetingRow meeting(
      long id, String status, int clients, boolean tracked, int since, Optional<Instant> end) {
    return new MeetingRow(id, "room", status, clients, USER, tracked, at(since), end);
  }

  private static ObservedEvent joined(long seq, long meeting, String person, int count, int at) {
    return event(seq, meeting, person, count, details(meeting, USER, person, at, at(at)));
  }

  private static ObservedEvent left(
      long seq, long meeting, String person, int count, int from, int to) {
    EventDetails details =
        new EventDetails(
            "tx" + seq,
            meeting,
            USER,
            of(person),
            of(name(person)),
            at(to),
            at(from),
            Optional.of(at(to)),
            "poll");
    return new ObservedEvent(
        seq,
        ObservedEvent.LEFT,
        meeting,
        of(person),
        Optional.of(count),
        Optional.empty(),
        Optional.empty(),
        Optional.of(details));
  }

  private static EventDetails details(
      long meeting, long user, String person, int joined, Instant at) {
    return new EventDetails(
        "tx" + joined,
        meeting,
        user,
        of(person),
        of(name(person)),
        at,
        at(joined),
        Optional.empty(),
        "webhook");
  }

  private static ObservedEvent event(
      long seq, long meeting, String person, int count, EventDetails details) {
    return new ObservedEvent(
        seq,
        ObservedEvent.JOINED,
        meeting,
        of(person),
        Optional.of(count),
        Optional.empty(),
        Optional.empty(),
        Optional.of(details));
  }

  private static ObservedEvent status(long seq, long meeting, Optional<String> from, String to) {
    return new ObservedEvent(
        seq,
        ObservedEvent.STATUS,
        meeting,
        Optional.empty(),
        Optional.empty(),
        from,
        Optional.of(to));
  }

  private static String name(String person) {
    return person.substring(0, 1).toUpperCase(Locale.ROOT) + person.substring(1);
  }

  private static Optional<String> of(String text) {
    return Optional.of(text);
  }

  private static Instant at(int second) {
    return NINE.plusSeconds(second);
  }
}
