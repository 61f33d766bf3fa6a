package io.convoke.server.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.simulator.Held.Followed;
import io.convoke.server.simulator.Invariant.Standing;
import io.convoke.server.simulator.Invariants.Bounds;
import io.convoke.server.simulator.Truth.Finished;
import io.convoke.server.simulator.Truth.Lost;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts as a difference, since when, and when it is late. */
class InvariantsTest {
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Instant NOW = NOON.plusSeconds(600);
  private static final Duration BOUND = Duration.ofSeconds(45);
  private static final Followed ROOM = new Followed(7, "standup", 1, 1, NOON);
  private static final Held.Stay OPEN = ours("ada", NOON, Optional.empty());
  private static final Truth.Stay THERE = real("ada", NOON, Optional.empty());

  @Test
  void whatAgreesHolds() {
    List<Invariant> all = judge(truth(THERE), held(ROOM, OPEN));

    assertThat(all).extracting(Invariant::standing).containsOnly(Standing.HOLDS);
    assertThat(of(all, "present_are_known").checked()).isEqualTo(1);
    assertThat(of(all, "gone_are_gone").checked()).isEqualTo(1);
  }

  @Test
  void whoeverIsNotKnownSettlesUntilTheBoundAndIsLateAfterIt() {
    Invariant fresh =
        of(
            judge(truth(real("ada", NOW.minusSeconds(44), Optional.empty())), held(ROOM)),
            "present_are_known");
    assertThat(fresh.standing()).isEqualTo(Standing.SETTLING);
    assertThat(fresh.lateMs()).isZero();

    Invariant late =
        of(
            judge(truth(real("ada", NOW.minusSeconds(50), Optional.empty())), held(ROOM)),
            "present_are_known");
    assertThat(late.standing()).isEqualTo(Standing.VIOLATED);
    assertThat(late.lateMs()).isEqualTo(5_000);
    assertThat(late.since()).contains(NOW.minusSeconds(50));
    assertThat(late.examples()).containsExactly("Ada in standup");
  }

  @Test
  void nobodyIsMissedInARoomThatNobodyFollows() {
    Invariant present =
        of(judge(truth(THERE), new Held(List.of(), List.of(), List.of())), "present_are_known");
    assertThat(present.standing()).isEqualTo(Standing.HOLDS);
    assertThat(present.checked()).isZero();
  }

  @Test
  void theTimeCountsFromWhenTheRoomWasFollowed() {
    Followed young = new Followed(7, "standup", 0, 0, NOW.minusSeconds(5));
    Invariant present = of(judge(truth(THERE), held(young)), "present_are_known");
    assertThat(present.since()).contains(NOW.minusSeconds(5));
    assertThat(present.standing()).isEqualTo(Standing.SETTLING);
  }

  @Test
  void whoeverWasClosedTooEarlyIsMissingSinceThen() {
    Held.Stay closed = ours("ada", NOON, Optional.of(NOW.minusSeconds(60)));
    Invariant present = of(judge(truth(THERE), held(ROOM, closed)), "present_are_known");
    assertThat(present.standing()).isEqualTo(Standing.VIOLATED);
    assertThat(present.since()).contains(NOW.minusSeconds(60));
  }

  @Test
  void aStayThatEndedAfterTheTruthWasToldIsNoDifference() {
    Held.Stay closed = ours("ada", NOON, Optional.of(NOW.plusMillis(3)));
    assertThat(of(judge(truth(THERE), held(ROOM, closed)), "present_are_known").standing())
        .isEqualTo(Standing.HOLDS);
    Held.Stay begun = ours("bob", NOW.plusMillis(3), Optional.empty());
    assertThat(of(judge(truth(THERE), held(ROOM, OPEN, begun)), "gone_are_gone").standing())
        .isEqualTo(Standing.HOLDS);
  }

  @Test
  void whoeverHasLeftMustNotBePresent() {
    Truth.Stay left = real("ada", NOON, Optional.of(NOW.minusSeconds(100)));
    Invariant gone = of(judge(truth(left), held(ROOM, OPEN)), "gone_are_gone");
    assertThat(gone.standing()).isEqualTo(Standing.VIOLATED);
    assertThat(gone.lateMs()).isEqualTo(55_000);

    Invariant unheard = of(judge(truth(), held(ROOM, OPEN)), "gone_are_gone");
    assertThat(unheard.examples()).containsExactly("an unknown session in standup");
  }

  @Test
  void whoeverIsHiddenIsNotMissedButMayBeKnown() {
    Truth.Stay hidden = new Truth.Stay("ada", "standup", "Ada", false, NOON, Optional.empty());
    assertThat(judge(truth(hidden), held(ROOM)))
        .extracting(Invariant::standing)
        .containsOnly(Standing.HOLDS);
    assertThat(of(judge(truth(hidden), held(ROOM, OPEN)), "gone_are_gone").standing())
        .isEqualTo(Standing.HOLDS);
  }

  @Test
  void aSessionThatIsOpenTwiceOrACountThatIsWrongIsLateAtOnce() {
    Held.Stay again = ours("ada", NOON.plusSeconds(9), Optional.empty());
    assertThat(of(judge(truth(THERE), held(ROOM, OPEN, again)), "nobody_is_there_twice").standing())
        .isEqualTo(Standing.VIOLATED);
    Followed wrong = new Followed(7, "standup", 2, 1, NOON);
    Invariant counts = of(judge(truth(THERE), held(wrong, OPEN)), "counts_agree");
    assertThat(counts.standing()).isEqualTo(Standing.VIOLATED);
    assertThat(counts.examples()).containsExactly("standup says 2, holds 1");
  }

  @Test
  void aLostWebhookIsMadeGoodByKnowingWhatItWouldHaveTold() {
    Lost joined = new Lost("participant.joined", "standup", "ada", "dropped", NOON);
    Lost left = new Lost("participant.left", "standup", "bob", "failed", NOON);
    Truth truth = new Truth(NOW, List.of(THERE), List.of(), List.of(joined, left));

    Invariant good = of(judge(truth, held(ROOM, OPEN)), "lost_webhooks_are_made_good");
    assertThat(good.standing()).isEqualTo(Standing.HOLDS);
    assertThat(good.checked()).isEqualTo(2);
    Held.Stay bob = ours("bob", NOON, Optional.empty());
    Invariant bad = of(judge(truth, held(ROOM, bob)), "lost_webhooks_are_made_good");
    assertThat(bad.standing()).isEqualTo(Standing.VIOLATED);
    assertThat(bad.differing()).isEqualTo(2);
  }

  @Test
  void aFinishedRecordingHasToBeKnown() {
    Finished tape = new Finished("r1", "standup", NOW.minusSeconds(100));
    Truth truth = new Truth(NOW, List.of(), List.of(tape), List.of());
    Held knows = new Held(List.of(), List.of(), List.of("r1"));
    assertThat(of(judge(truth, knows), "recordings_are_known").standing())
        .isEqualTo(Standing.HOLDS);
    assertThat(of(judge(truth, held(ROOM)), "recordings_are_known").lateMs()).isEqualTo(10_000);
  }

  private static List<Invariant> judge(Truth truth, Held held) {
    Bounds bounds = new Bounds(BOUND, Duration.ofSeconds(90));
    return Invariants.judge(truth, held, NOON.minusSeconds(60), bounds, NOW);
  }

  private static Invariant of(List<Invariant> all, String name) {
    return all.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  private static Truth truth(Truth.Stay... stays) {
    return new Truth(NOW, List.of(stays), List.of(), List.of());
  }

  private static Held held(Followed room, Held.Stay... stays) {
    return new Held(List.of(room), List.of(stays), List.of());
  }

  private static Truth.Stay real(String session, Instant joined, Optional<Instant> left) {
    return new Truth.Stay(session, "standup", "Ada", true, joined, left);
  }

  private static Held.Stay ours(String session, Instant joined, Optional<Instant> left) {
    return new Held.Stay(7, session, joined, left);
  }
}
