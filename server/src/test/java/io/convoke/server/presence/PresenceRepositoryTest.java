package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Tx;
import io.convoke.server.launch.Await;
import io.convoke.server.platform.MeetingAttendance.Attendee;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceRepository.Committed;
import io.convoke.server.presence.PresenceRepository.EventsResult;
import io.convoke.server.presence.PresenceRepository.Over;
import io.convoke.server.presence.PresenceRepository.RaisedEpoch;
import io.convoke.server.presence.PresenceRepository.SnapshotResult;
import io.convoke.server.presence.PresenceRepository.Stale;
import io.convoke.server.presence.TrackedMeetingMonitor.EndReason;
import io.convoke.server.presence.TrackedMeetingMonitor.MeetingEnd;
import io.convoke.server.presence.merge.ChangeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The single writer on a real Postgres. */
class PresenceRepositoryTest {
  private static final PollJournal.PollRecord POLL =
      new PollJournal.PollRecord(PollReason.WEBHOOK, Duration.ZERO, 0);

  private static final String WAITING =
      """
      select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
      """;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final PresenceTestKit kit = new PresenceTestKit();
  private final PresenceRepository repository =
      new PresenceRepository(
          kit.database, kit.journal, Duration.ofSeconds(30), InstantSource.system());
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @AfterEach
  void close() {
    var _ = threads.shutdownNow();
    kit.close();
  }

  private PresenceEvent joined(String event, String session) {
    return joined(event, session, now);
  }

  private static PresenceEvent joined(String event, String session, Instant at) {
    return new PresenceEvent(
        event,
        PresenceEvent.PresenceEventKind.JOINED,
        "room",
        session,
        Optional.empty(),
        Optional.of(session),
        Optional.of(at),
        at,
        false,
        false);
  }

  private EventsResult commit(long meeting, List<PresenceEvent> events) {
    return repository.commit(meeting, events, Optional.empty(), ChangeSource.WEBHOOK);
  }

  private RoomPresence snapshot(int people) {
    return new RoomPresence.RoomPresenceComplete(
        IntStream.range(0, people)
            .mapToObj(
                i ->
                    new Participant(
                        "s" + i, Optional.empty(), Optional.empty(), now.minusSeconds(60)))
            .toList(),
        now);
  }

  @Test
  void aStaleEpochWritesNothing() {
    long meeting = kit.meeting("room");
    RaisedEpoch old = repository.raise(meeting).orElseThrow();
    RaisedEpoch current = repository.raise(meeting).orElseThrow();

    assertThat(repository.commit(old, snapshot(3), POLL)).isInstanceOf(Stale.class);
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.number("select count(*)::int from participant_sessions")).isZero();
    assertThat(kit.events(meeting, "participant.joined")).isEmpty();

    assertThat(repository.commit(current, snapshot(3), POLL)).isInstanceOf(Committed.class);
    assertThat(kit.numClients(meeting)).isEqualTo(3);
  }

  @Test
  void evidenceOvertakesAPollThatStillAsksThePlatform() {
    long meeting = kit.meeting("room");
    RaisedEpoch polling = repository.raise(meeting).orElseThrow();
    assertThat(commit(meeting, List.of(joined("e1", "a")))).isInstanceOf(Committed.class);

    assertThat(repository.commit(polling, snapshot(0), POLL)).isInstanceOf(Stale.class);
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void aPollGoesOnWithTheEpochThatItsEvidenceRaisedUntilAnotherWriterComes() {
    long meeting = kit.meeting("room");
    assertThat(commit(meeting, List.of(joined("e1", "a"))))
        .isInstanceOfSatisfying(
            Committed.class,
            first -> {
              assertThat(repository.commit(first.epoch(), snapshot(2), POLL))
                  .isInstanceOf(Committed.class);
              EventsResult _ = commit(meeting, List.of(joined("e2", "b")));
              assertThat(repository.commit(first.epoch(), snapshot(3), POLL))
                  .isInstanceOf(Stale.class);
            });
    assertThat(kit.numClients(meeting)).isEqualTo(4);
  }

  @Test
  void anEventIsAppliedOnceToEachMeetingOfItsRoom() {
    long one = kit.meeting("room");
    long two = kit.row("room", "active", false);
    for (long meeting : List.of(one, two, one, two)) {
      EventsResult _ = commit(meeting, List.of(joined("e1", "a"), joined("e1", "a")));
    }

    assertThat(kit.numClients(one)).isEqualTo(1);
    assertThat(kit.numClients(two)).isEqualTo(1);
    assertThat(kit.events(one, "participant.joined")).hasSize(1);
    assertThat(kit.events(two, "participant.joined")).hasSize(1);
  }

  /** A leave that arrives late; the times are in seconds from now. */
  private PresenceEvent left(String session, long joined, long left) {
    return new PresenceEvent(
        "left-" + session,
        PresenceEvent.PresenceEventKind.LEFT,
        "room",
        session,
        Optional.empty(),
        Optional.of(session),
        Optional.of(now.plusSeconds(joined)),
        now.plusSeconds(left),
        false,
        false);
  }

  private List<String> sessions(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql("select session_id from participant_sessions where meeting_id = ?")
                .with(meeting)
                .list(resultRow -> resultRow.text("session_id")));
  }

  private void change(String sql) {
    kit.database.run(
        tx -> {
          int _ = tx.sql(sql).update();
        });
  }

  /** The room had another meeting then, maybe of another user. */
  @Test
  void aVisitThatEndedBeforeTheMeetingIsInNone() {
    long meeting = kit.meeting("room");
    List<PresenceEvent> late = List.of(left("before", -1800, -300), left("during", -1800, 60));
    EventsResult _ = commit(meeting, late);
    assertThat(sessions(meeting)).containsExactly("during");
    assertThat(kit.events(meeting, "participant.left")).hasSize(1);

    long ending = kit.row("room", "active", false);
    kit.move(ending, "completed");
    Over over = repository.finish(ending, List.of(left("before", -1800, -300)));
    assertThat(over.changes()).isEmpty();
  }

  /** Two clocks may differ, but not about whose room it is. */
  @Test
  void aJoinFromShortlyBeforeTheMeetingIsInItIfTheRoomWasTheUsers() {
    long meeting = kit.meeting("room");
    Instant before = now.minusSeconds(5);
    EventsResult _ = commit(meeting, List.of(joined("e1", "a", before)));
    assertThat(sessions(meeting)).containsExactly("a");

    change(
        """
        insert into rooms (platform, room, user_id, claimed_at, opens_at)
        select platform, platform_specific_id, user_id, now(), created_at - interval '3 seconds'
        from meetings where id = %d
        """
            .formatted(meeting));
    EventsResult _ = commit(meeting, List.of(joined("e2", "b", before)));
    assertThat(sessions(meeting)).containsExactly("a");
  }

  /** Such a meeting begins with a visit, so it is older than its row. */
  @Test
  void theVisitsOfAMeetingByRuleBeganSinceTheClaimAndTheMeetingBefore() {
    change(
        """
        insert into rooms (platform, room, user_id, claimed_at, opens_at, tracks_for)
        values ('daily', 'room', %d, now(), now() - interval '1 hour', %d)
        """
            .formatted(kit.user, kit.user));
    long first = byRule();
    EventsResult _ = commit(first, List.of(left("unclaimed", -7200, -30), left("own", -1800, -30)));
    assertThat(sessions(first)).containsExactly("own");

    kit.move(first, "completed");
    change("update meetings set end_time = now() - interval '10 minutes' where id = " + first);
    long next = byRule();
    EventsResult _ = commit(next, List.of(left("firsts", -1800, -30), left("nexts", -300, -60)));
    assertThat(sessions(next)).containsExactly("nexts");
  }

  private long byRule() {
    long meeting = kit.meeting("room");
    change("update meetings set start_time = now() - interval '1 minute' where id = " + meeting);
    return meeting;
  }

  @Test
  void aThousandPeopleAreWrittenAndClosedTogether() {
    long meeting = kit.meeting("room");
    SnapshotResult _ =
        repository.commit(repository.raise(meeting).orElseThrow(), snapshot(1000), POLL);
    assertThat(kit.numClients(meeting)).isEqualTo(1000);

    kit.move(meeting, "completed");
    Over over = repository.finish(meeting, List.of());
    assertThat(over.changes()).hasSize(1000);
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.events(meeting, "participant.left")).hasSize(1000);
  }

  @Test
  void presenceIsNoHeartbeatOfABot() {
    long meeting = kit.row("room", "active", false);
    String before = updatedAt(meeting);
    EventsResult _ = commit(meeting, List.of(joined("e1", "a")));

    assertThat(kit.numClients(meeting)).isEqualTo(1);
    assertThat(updatedAt(meeting)).isEqualTo(before);
  }

  private String updatedAt(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql("select updated_at::text as at from meetings where id = ?")
                .with(meeting)
                .one(resultRow -> resultRow.text("at")));
  }

  @Test
  void aTrackedMeetingIsCompletedOnceAndNotAfterALaterJoin() {
    long meeting = kit.meeting("room");
    EventsResult _ = commit(meeting, List.of(joined("e1", "a")));
    assertThat(repository.complete(meeting, ended(now.minusSeconds(60)), List.of())).isFalse();

    assertThat(repository.complete(meeting, ended(now.plusSeconds(1)), List.of())).isTrue();
    assertThat(repository.complete(meeting, ended(now.plusSeconds(1)), List.of())).isFalse();
    assertThat(kit.number("select count(*)::int from post_meeting where meeting_id = " + meeting))
        .isEqualTo(1);
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.events(meeting, "participant.left")).hasSize(1);
    assertThat(kit.events(meeting, "meeting.status_changed"))
        .filteredOn(data -> data.path("to").asString().equals("completed"))
        .hasSize(1);
  }

  /** The end is the leave of the last one whom sessions show; the history shows one more. */
  @Test
  void aVisitThatOnlyTheAttendanceShowsIsNotAfterTheEndOfItsMeeting() {
    long meeting = kit.meeting("room");
    EventsResult _ = commit(meeting, List.of(joined("e1", "a")));
    Instant left = now.plusSeconds(4);
    List<Attendee> attendees =
        List.of(
            new Attendee(person("a"), now.plusSeconds(9)), new Attendee(person("missed"), left));

    assertThat(repository.complete(meeting, ended(now.plusSeconds(1)), attendees)).isTrue();
    Instant end =
        kit.database.read(
            tx ->
                tx.sql("select end_time from meetings where id = ?")
                    .with(meeting)
                    .one(row -> row.instant("end_time")));
    assertThat(end).isEqualTo(left);
  }

  /** The list of all rooms was asked for before an event that is applied by now. */
  @Test
  void aComparisonTakesBackNoTimeUpToWhichSessionsAreConfirmed() {
    long meeting = kit.meeting("room");
    EventsResult _ = commit(meeting, List.of(joined("e1", "a")));
    repository.prove(List.of(meeting), now.minusSeconds(3));

    Instant asOf =
        kit.database.read(
            tx ->
                tx.sql("select as_of from presence where meeting_id = ?")
                    .with(meeting)
                    .one(row -> row.instant("as_of")));
    assertThat(asOf).isEqualTo(now);
  }

  private Participant person(String session) {
    return new Participant(session, Optional.empty(), Optional.of(session), now);
  }

  @Test
  void theDueListOffersAMeetingToOneNodeAtATime() {
    long meeting = kit.meeting("room");
    repository.open(List.of(meeting));
    MeetingQueries rows = new MeetingQueries(kit.database);

    assertThat(rows.takeDue("daily", Duration.ofSeconds(30), 10)).containsExactly(meeting);
    assertThat(rows.takeDue("daily", Duration.ofSeconds(30), 10)).isEmpty();
  }

  @Test
  void meetingsAreOpenedThoughAnotherNodeOpensThemInAnotherOrder() {
    long one = kit.meeting("one");
    long two = kit.meeting("two");
    CompletableFuture<Void> opened =
        kit.database.transaction(
            tx -> {
              insert(tx, two);
              CompletableFuture<Void> opening =
                  CompletableFuture.runAsync(() -> repository.open(List.of(one, two)), threads);
              Await.until("the lock", () -> opening.isDone() || kit.number(WAITING) > 0);
              insert(tx, one);
              return opening;
            });
    opened.join();
    assertThat(kit.number("select count(*)::int from presence")).isEqualTo(2);
  }

  private static void insert(Tx tx, long meeting) {
    int _ =
        tx.sql("insert into presence (meeting_id) values (?) on conflict do nothing")
            .with(meeting)
            .update();
  }

  private static MeetingEnd ended(Instant at) {
    return new MeetingEnd(at, EndReason.PLATFORM_ENDED);
  }
}
