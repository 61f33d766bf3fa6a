package io.convoke.server.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.simulator.Invariant.InvariantState;
import io.convoke.server.simulator.InvariantChecker.StalenessBounds;
import io.convoke.server.simulator.SimulatorState.FinishedRecording;
import io.convoke.server.simulator.SimulatorState.LostWebhook;
import io.convoke.server.simulator.StoredState.FollowedRoom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts as a difference, since when, and when it is late. */
class InvariantCheckerTest {
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Instant NOW = NOON.plusSeconds(600);
  private static final Duration BOUND = Duration.ofSeconds(45);
  private static final FollowedRoom ROOM = new FollowedRoom(7, "standup", 1, 1, NOON);
  private static final StoredState.StoredSession OPEN = ours("ada", NOON, Optional.empty());
  private static final SimulatorState.SimulatedSession THERE = real("ada", NOON, Optional.empty());

  @Test
  void whatAgreesHolds() {
    List<Invariant> all = judge(truth(THERE), held(ROOM, OPEN));

    assertThat(all).extracting(Invariant::standing).containsOnly(InvariantState.HOLDS);
    assertThat(of(all, "present_are_known").checked()).isEqualTo(1);
    assertThat(of(all, "gone_are_gone").checked()).isEqualTo(1);
  }

  @Test
  void whoeverIsNotKnownSettlesUntilTheBoundAndIsLateAfterIt() {
    Invariant fresh =
        of(
            judge(truth(real("ada", NOW.minusSeconds(44), Optional.empty())), held(ROOM)),
            "present_are_known");
    assertThat(fresh.standing()).isEqualTo(InvariantState.SETTLING);
    assertThat(fresh.lateMs()).isZero();

    Invariant late =
        of(
            judge(truth(real("ada", NOW.minusSeconds(50), Optional.empty())), held(ROOM)),
            "present_are_known");
    assertThat(late.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(late.lateMs()).isEqualTo(5_000);
    assertThat(late.since()).contains(NOW.minusSeconds(50));
    assertThat(late.examples()).containsExactly("Ada in standup");
  }

  @Test
  void nobodyIsMissedInARoomThatNobodyFollows() {
    Invariant present =
        of(
            judge(truth(THERE), new StoredState(List.of(), List.of(), List.of())),
            "present_are_known");
    assertThat(present.standing()).isEqualTo(InvariantState.HOLDS);
    assertThat(present.checked()).isZero();
  }

  @Test
  void theTimeCountsFromWhenTheRoomWasFollowed() {
    FollowedRoom young = new FollowedRoom(7, "standup", 0, 0, NOW.minusSeconds(5));
    Invariant present = of(judge(truth(THERE), held(young)), "present_are_known");
    assertThat(present.since()).contains(NOW.minusSeconds(5));
    assertThat(present.standing()).isEqualTo(InvariantState.SETTLING);
  }

  @Test
  void whoeverWasClosedTooEarlyIsMissingSinceThen() {
    StoredState.StoredSession closed = ours("ada", NOON, Optional.of(NOW.minusSeconds(60)));
    Invariant present = of(judge(truth(THERE), held(ROOM, closed)), "present_are_known");
    assertThat(present.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(present.since()).contains(NOW.minusSeconds(60));
  }

  @Test
  void aStayThatEndedAfterTheTruthWasToldIsNoDifference() {
    StoredState.StoredSession closed = ours("ada", NOON, Optional.of(NOW.plusMillis(3)));
    assertThat(of(judge(truth(THERE), held(ROOM, closed)), "present_are_known").standing())
        .isEqualTo(InvariantState.HOLDS);
    StoredState.StoredSession begun = ours("bob", NOW.plusMillis(3), Optional.empty());
    assertThat(of(judge(truth(THERE), held(ROOM, OPEN, begun)), "gone_are_gone").standing())
        .isEqualTo(InvariantState.HOLDS);
  }

  @Test
  void whoeverHasLeftMustNotBePresent() {
    SimulatorState.SimulatedSession left = real("ada", NOON, Optional.of(NOW.minusSeconds(100)));
    Invariant gone = of(judge(truth(left), held(ROOM, OPEN)), "gone_are_gone");
    assertThat(gone.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(gone.lateMs()).isEqualTo(55_000);

    Invariant unheard = of(judge(truth(), held(ROOM, OPEN)), "gone_are_gone");
    assertThat(unheard.examples()).containsExactly("an unknown session in standup");
  }

  @Test
  void whoeverIsHiddenIsNotMissedButMayBeKnown() {
    SimulatorState.SimulatedSession hidden =
        new SimulatorState.SimulatedSession("ada", "standup", "Ada", false, NOON, Optional.empty());
    assertThat(judge(truth(hidden), held(ROOM)))
        .extracting(Invariant::standing)
        .containsOnly(InvariantState.HOLDS);
    assertThat(of(judge(truth(hidden), held(ROOM, OPEN)), "gone_are_gone").standing())
        .isEqualTo(InvariantState.HOLDS);
  }

  @Test
  void aSessionThatIsOpenTwiceOrACountThatIsWrongIsLateAtOnce() {
    StoredState.StoredSession again = ours("ada", NOON.plusSeconds(9), Optional.empty());
    assertThat(of(judge(truth(THERE), held(ROOM, OPEN, again)), "nobody_is_there_twice").standing())
        .isEqualTo(InvariantState.VIOLATED);
    FollowedRoom wrong = new FollowedRoom(7, "standup", 2, 1, NOON);
    Invariant counts = of(judge(truth(THERE), held(wrong, OPEN)), "counts_agree");
    assertThat(counts.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(counts.examples()).containsExactly("standup counts 2, open sessions 1");
  }

  @Test
  void aLostWebhookIsMadeGoodByKnowingWhatItWouldHaveTold() {
    LostWebhook joined = new LostWebhook("participant.joined", "standup", "ada", "dropped", NOON);
    LostWebhook left = new LostWebhook("participant.left", "standup", "bob", "failed", NOON);
    SimulatorState simulatorState =
        new SimulatorState(NOW, List.of(THERE), List.of(), List.of(joined, left));

    Invariant good = of(judge(simulatorState, held(ROOM, OPEN)), "lost_webhooks_are_made_good");
    assertThat(good.standing()).isEqualTo(InvariantState.HOLDS);
    assertThat(good.checked()).isEqualTo(2);
    StoredState.StoredSession bob = ours("bob", NOON, Optional.empty());
    Invariant bad = of(judge(simulatorState, held(ROOM, bob)), "lost_webhooks_are_made_good");
    assertThat(bad.standing()).isEqualTo(InvariantState.VIOLATED);
    assertThat(bad.differing()).isEqualTo(2);
  }

  @Test
  void aFinishedRecordingHasToBeKnown() {
    FinishedRecording tape = new FinishedRecording("r1", "standup", NOW.minusSeconds(100));
    SimulatorState simulatorState = new SimulatorState(NOW, List.of(), List.of(tape), List.of());
    StoredState knows = new StoredState(List.of(), List.of(), List.of("r1"));
    assertThat(of(judge(simulatorState, knows), "recordings_are_known").standing())
        .isEqualTo(InvariantState.HOLDS);
    assertThat(of(judge(simulatorState, held(ROOM)), "recordings_are_known").lateMs())
        .isEqualTo(10_000);
  }

  private static List<Invariant> judge(SimulatorState simulatorState, StoredState storedState) {
    StalenessBounds stalenessBounds = new StalenessBounds(BOUND, Duration.ofSeconds(90));
    return InvariantChecker.judge(
        simulatorState, storedState, NOON.minusSeconds(60), stalenessBounds, NOW);
  }

  private static Invariant of(List<Invariant> all, String name) {
    return all.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  private static SimulatorState truth(SimulatorState.SimulatedSession... stays) {
    return new SimulatorState(NOW, List.of(stays), List.of(), List.of());
  }

  private static StoredState held(FollowedRoom room, StoredState.StoredSession... stays) {
    return new StoredState(List.of(room), List.of(stays), List.of());
  }

  private static SimulatorState.SimulatedSession real(
      String session, Instant joined, Optional<Instant> left) {
    return new SimulatorState.SimulatedSession(session, "standup", "Ada", true, joined, left);
  }

  private static StoredState.StoredSession ours(
      String session, Instant joined, Optional<Instant> left) {
    return new StoredState.StoredSession(7, session, joined, left);
  }
}
