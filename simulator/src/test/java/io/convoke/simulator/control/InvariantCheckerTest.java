package io.convoke.simulator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.control.Invariant.InvariantState;
import io.convoke.simulator.control.ServerRows.FollowedRoom;
import io.convoke.simulator.control.ServerRows.StalenessBounds;
import io.convoke.simulator.control.ServerRows.StoredSession;
import io.convoke.simulator.state.Meeting;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Recording.RecordingOutcome;
import io.convoke.simulator.state.Recording.RecordingStatus;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.webhook.WebhookDelivery;
import io.convoke.simulator.webhook.WebhookDelivery.DeliveryEnd;
import io.convoke.simulator.webhook.WebhookEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which differences count, when they start, and when they are violations. */
class InvariantCheckerTest {
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Instant NOW = NOON.plusSeconds(600);
  private static final Duration BOUND = Duration.ofSeconds(45);
  private static final FollowedRoom ROOM = new FollowedRoom(7, "standup", 1, 1, NOON);
  private static final StoredSession OPEN = ours("ada", NOON, Optional.empty());
  private static final RoomSession THERE = real("ada", NOON, Optional.empty());

  @Test
  void equalStatesHold() {
    List<Invariant> all = check(truth(THERE), stored(ROOM, OPEN));

    assertThat(all).extracting(Invariant::standing).containsOnly(InvariantState.HOLDS);
    assertThat(of(all, "present_are_known").checked()).isEqualTo(1);
    assertThat(of(all, "gone_are_gone").checked()).isEqualTo(1);
  }

  @Test
  void aMissingParticipantSettlesUntilTheBoundAndViolatesAfterIt() {
    Invariant fresh =
        of(
            check(truth(real("ada", NOW.minusSeconds(44), Optional.empty())), stored(ROOM)),
            "present_are_known");
    assertThat(fresh.standing()).isEqualTo(InvariantState.SETTLING);
    assertThat(fresh.lateMs()).isZero();

    Invariant late =
        of(
            check(truth(real("ada", NOW.minusSeconds(50), Optional.empty())), stored(ROOM)),
            "present_are_known");
    assertThat(late.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(late.lateMs()).isEqualTo(5_000);
    assertThat(late.since()).contains(NOW.minusSeconds(50));
    assertThat(late.examples()).containsExactly("Ada in standup");
  }

  @Test
  void aRoomWithoutAMeetingIsNotChecked() {
    Invariant present =
        of(check(truth(THERE), rows(List.of(), List.of(), Set.of())), "present_are_known");
    assertThat(present.standing()).isEqualTo(InvariantState.HOLDS);
    assertThat(present.checked()).isZero();
  }

  @Test
  void theTimeCountsFromWhenTheRoomWasFollowed() {
    FollowedRoom young = new FollowedRoom(7, "standup", 0, 0, NOW.minusSeconds(5));
    Invariant present = of(check(truth(THERE), stored(young)), "present_are_known");
    assertThat(present.since()).contains(NOW.minusSeconds(5));
    assertThat(present.standing()).isEqualTo(InvariantState.SETTLING);
  }

  @Test
  void aSessionClosedTooEarlyIsMissingSinceItWasClosed() {
    StoredSession closed = ours("ada", NOON, Optional.of(NOW.minusSeconds(60)));
    Invariant present = of(check(truth(THERE), stored(ROOM, closed)), "present_are_known");
    assertThat(present.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(present.since()).contains(NOW.minusSeconds(60));
  }

  @Test
  void aSessionThatChangedAfterTheComparedTimeIsNoDifference() {
    StoredSession closed = ours("ada", NOON, Optional.of(NOW.plusMillis(3)));
    assertThat(of(check(truth(THERE), stored(ROOM, closed)), "present_are_known").standing())
        .isEqualTo(InvariantState.HOLDS);
    StoredSession begun = ours("bob", NOW.plusMillis(3), Optional.empty());
    assertThat(of(check(truth(THERE), stored(ROOM, OPEN, begun)), "gone_are_gone").standing())
        .isEqualTo(InvariantState.HOLDS);
  }

  @Test
  void anOpenSessionOfAParticipantWhoLeftIsADifference() {
    RoomSession left = real("ada", NOON, Optional.of(NOW.minusSeconds(100)));
    Invariant gone = of(check(truth(left), stored(ROOM, OPEN)), "gone_are_gone");
    assertThat(gone.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(gone.lateMs()).isEqualTo(55_000);

    Invariant unknown = of(check(truth(), stored(ROOM, OPEN)), "gone_are_gone");
    assertThat(unknown.examples()).containsExactly("an unknown session in standup");
  }

  @Test
  void aHiddenParticipantMayBeStoredButNeedNotBe() {
    RoomSession hidden = session("ada", Visitor.named("Ada").hidden(), NOON, Optional.empty());
    assertThat(check(truth(hidden), stored(ROOM)))
        .extracting(Invariant::standing)
        .containsOnly(InvariantState.HOLDS);
    assertThat(of(check(truth(hidden), stored(ROOM, OPEN)), "gone_are_gone").standing())
        .isEqualTo(InvariantState.HOLDS);
  }

  @Test
  void aSessionOpenTwiceOrAWrongCountIsAViolationAtOnce() {
    StoredSession again = ours("ada", NOON.plusSeconds(9), Optional.empty());
    assertThat(
            of(check(truth(THERE), stored(ROOM, OPEN, again)), "nobody_is_there_twice").standing())
        .isEqualTo(InvariantState.VIOLATED);
    FollowedRoom wrong = new FollowedRoom(7, "standup", 2, 1, NOON);
    Invariant counts = of(check(truth(THERE), stored(wrong, OPEN)), "counts_agree");
    assertThat(counts.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(counts.examples()).containsExactly("standup counts 2, open sessions 1");
  }

  @Test
  void aLostWebhookIsCompensatedByTheStoredChange() {
    SimulationTruth truth =
        truth(
            List.of(THERE),
            List.of(),
            List.of(
                webhook("participant.joined", "ada", DeliveryEnd.DROPPED),
                webhook("participant.left", "bob", DeliveryEnd.FAILED),
                webhook("participant.left", "ada", DeliveryEnd.DELIVERED)));

    Invariant good = of(check(truth, stored(ROOM, OPEN)), "lost_webhooks_are_made_good");
    assertThat(good.standing()).isEqualTo(InvariantState.HOLDS);
    assertThat(good.checked()).isEqualTo(2);
    StoredSession bob = ours("bob", NOON, Optional.empty());
    Invariant bad = of(check(truth, stored(ROOM, bob)), "lost_webhooks_are_made_good");
    assertThat(bad.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(bad.differing()).isEqualTo(2);
  }

  @Test
  void aFinishedRecordingHasToBeStored() {
    SimulationTruth truth =
        truth(List.of(), List.of(recording("r1", NOW.minusSeconds(100))), List.of());
    ServerRows knows = rows(List.of(), List.of(), Set.of("r1"));
    assertThat(of(check(truth, knows), "recordings_are_known").standing())
        .isEqualTo(InvariantState.HOLDS);
    assertThat(of(check(truth, stored(ROOM)), "recordings_are_known").lateMs()).isEqualTo(10_000);
  }

  @Test
  void whatTheSimulatorDidAfterTheComparedTimeIsIgnored() {
    RoomSession joined = real("ada", NOW.plusSeconds(1), Optional.empty());
    RoomSession left = real("bob", NOON, Optional.of(NOW.plusSeconds(1)));
    StoredSession bob = ours("bob", NOON, Optional.empty());
    SimulationTruth truth =
        truth(List.of(joined, left), List.of(recording("r1", NOW.plusSeconds(1))), List.of());

    List<Invariant> all =
        InvariantChecker.check(truth, stored(ROOM, bob), NOW.plus(Duration.ofHours(1)));

    assertThat(all).extracting(Invariant::standing).containsOnly(InvariantState.HOLDS);
    assertThat(of(all, "present_are_known").checked()).isEqualTo(1);
    assertThat(of(all, "recordings_are_known").checked()).isZero();
  }

  private static List<Invariant> check(SimulationTruth truth, ServerRows rows) {
    return InvariantChecker.check(truth, rows, NOW);
  }

  private static Invariant of(List<Invariant> all, String name) {
    return all.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  private static SimulationTruth truth(RoomSession... sessions) {
    return truth(List.of(sessions), List.of(), List.of());
  }

  private static SimulationTruth truth(
      List<RoomSession> sessions, List<Recording> recordings, List<WebhookDelivery> webhooks) {
    Meeting meeting = new Meeting("m1", "m1", "standup", NOON, true, Optional.empty(), 2, sessions);
    return new SimulationTruth(1, NOW, List.of(meeting), recordings, webhooks, Map.of(), 0);
  }

  private static ServerRows stored(FollowedRoom room, StoredSession... sessions) {
    return rows(List.of(room), List.of(sessions), Set.of());
  }

  private static ServerRows rows(
      List<FollowedRoom> rooms, List<StoredSession> sessions, Set<String> recordings) {
    return new ServerRows(
        NOW,
        NOW.minus(Duration.ofMinutes(30)),
        NOON.minusSeconds(60),
        new StalenessBounds(BOUND, Duration.ofSeconds(90)),
        rooms,
        sessions,
        recordings);
  }

  private static RoomSession real(String session, Instant joined, Optional<Instant> left) {
    return session(session, Visitor.named("Ada"), joined, left);
  }

  private static RoomSession session(
      String session, Visitor visitor, Instant joined, Optional<Instant> left) {
    return new RoomSession(
        session, session, "standup", "m1", visitor, joined, left, Optional.empty());
  }

  private static Recording recording(String id, Instant ended) {
    return new Recording(
        id,
        id,
        id,
        Optional.empty(),
        "standup",
        "m1",
        "cloud",
        RecordingStatus.FINISHED,
        RecordingOutcome.FINISHED,
        NOON,
        Optional.of(ended),
        1,
        List.of());
  }

  private static WebhookDelivery webhook(String type, String session, DeliveryEnd end) {
    WebhookEvent event =
        new WebhookEvent("e", type, "standup", "e", Optional.of(session), NOON, Map.of());
    return new WebhookDelivery(event, end, Duration.ZERO, false, 1, 0, List.of());
  }

  private static StoredSession ours(String session, Instant joined, Optional<Instant> left) {
    return new StoredSession(7, session, joined, left);
  }
}
