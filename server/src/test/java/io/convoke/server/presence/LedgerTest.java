package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.merge.Evidence;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The single writer on a real Postgres. */
class LedgerTest {
  private static final PollEvents.Poll POLL =
      new PollEvents.Poll(Trigger.WEBHOOK, Duration.ZERO, 0);

  private final PresenceKit kit = new PresenceKit();
  private final Ledger ledger =
      new Ledger(kit.database, kit.journal, Duration.ofSeconds(30), InstantSource.system());
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @AfterEach
  void close() {
    kit.close();
  }

  private Evidence joined(String event, String session) {
    return new Evidence(
        event,
        Evidence.Kind.JOINED,
        "room",
        session,
        Optional.empty(),
        Optional.of(session),
        Optional.of(now),
        now,
        false);
  }

  private RoomPresence snapshot(int people) {
    return new RoomPresence.Complete(
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
    PresenceRow.Raised old = ledger.raise(meeting).orElseThrow();
    PresenceRow.Raised current = ledger.raise(meeting).orElseThrow();

    assertThat(ledger.commit(old, snapshot(3), POLL)).isInstanceOf(Ledger.Result.Stale.class);
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.number("select count(*)::int from participant_sessions")).isZero();
    assertThat(kit.events(meeting, "participant.joined")).isEmpty();

    assertThat(ledger.commit(current, snapshot(3), POLL))
        .isInstanceOf(Ledger.Result.Committed.class);
    assertThat(kit.numClients(meeting)).isEqualTo(3);
  }

  @Test
  void evidenceOvertakesAPollThatStillAsksThePlatform() {
    long meeting = kit.meeting("room");
    PresenceRow.Raised polling = ledger.raise(meeting).orElseThrow();
    assertThat(ledger.commit(meeting, List.of(joined("e1", "a"))))
        .isInstanceOf(Ledger.Result.Committed.class);

    assertThat(ledger.commit(polling, snapshot(0), POLL)).isInstanceOf(Ledger.Result.Stale.class);
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void anEventIsAppliedOnceToEachMeetingOfItsRoom() {
    long one = kit.meeting("room");
    long two = kit.row("room", "active", false);
    for (long meeting : List.of(one, two, one, two)) {
      Ledger.Result _ = ledger.commit(meeting, List.of(joined("e1", "a"), joined("e1", "a")));
    }

    assertThat(kit.numClients(one)).isEqualTo(1);
    assertThat(kit.numClients(two)).isEqualTo(1);
    assertThat(kit.events(one, "participant.joined")).hasSize(1);
    assertThat(kit.events(two, "participant.joined")).hasSize(1);
  }

  @Test
  void aThousandPeopleAreWrittenAndClosedTogether() {
    long meeting = kit.meeting("room");
    Ledger.Result _ = ledger.commit(ledger.raise(meeting).orElseThrow(), snapshot(1000), POLL);
    assertThat(kit.numClients(meeting)).isEqualTo(1000);

    kit.move(meeting, "completed");
    Ledger.Result over = ledger.finish(meeting, List.of());
    assertThat(over).isInstanceOf(Ledger.Result.Over.class);
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.events(meeting, "participant.left")).hasSize(1000);
  }

  @Test
  void presenceIsNoSignOfLifeOfABot() {
    long meeting = kit.row("room", "active", false);
    String before = updatedAt(meeting);
    Ledger.Result _ = ledger.commit(meeting, List.of(joined("e1", "a")));

    assertThat(kit.numClients(meeting)).isEqualTo(1);
    assertThat(updatedAt(meeting)).isEqualTo(before);
  }

  private String updatedAt(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql("select updated_at::text as at from meetings where id = ?")
                .with(meeting)
                .one(row -> row.text("at")));
  }

  @Test
  void aTrackedMeetingIsCompletedOnceAndNotWhenSomebodyCameAfterItsEnd() {
    long meeting = kit.meeting("room");
    Ledger.Result _ = ledger.commit(meeting, List.of(joined("e1", "a")));
    assertThat(ledger.complete(meeting, now.minusSeconds(60))).isFalse();

    assertThat(ledger.complete(meeting, now.plusSeconds(1))).isTrue();
    assertThat(ledger.complete(meeting, now.plusSeconds(1))).isFalse();
    assertThat(kit.number("select count(*)::int from post_meeting where meeting_id = " + meeting))
        .isEqualTo(1);
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.events(meeting, "participant.left")).hasSize(1);
    assertThat(kit.events(meeting, "meeting.status_changed"))
        .filteredOn(data -> data.path("to").asString().equals("completed"))
        .hasSize(1);
  }

  @Test
  void theDueListOffersAMeetingToOneNodeAtATime() {
    long meeting = kit.meeting("room");
    ledger.open(List.of(meeting));
    MeetingRows rows = new MeetingRows(kit.database);

    assertThat(rows.takeDue("daily", Duration.ofSeconds(30), 10)).containsExactly(meeting);
    assertThat(rows.takeDue("daily", Duration.ofSeconds(30), 10)).isEmpty();
  }
}
