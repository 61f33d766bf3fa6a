package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.LeaseTerms;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.lab.sim.SimulatorOptions;
import io.convoke.server.platform.Outage;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.presence.PresenceKit.Node;
import io.convoke.server.presence.PresenceSignals.Ended;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Scenario 10: meetings that ended are completed, after a grace, by one worker at a time. */
class MeetingProcessingTest {
  private static final Instant T = Instant.parse("2026-03-02T09:00:00Z");

  @Test
  void aMeetingEndedOnlyAfterTheGraceAndOnlyIfItEndedSinceItIsTracked() {
    RoomActivity ended = new RoomActivity.Ended(T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(MeetingProcessing.GRACE);

    assertThat(MeetingProcessing.ended(ended, since(T.plusSeconds(10)), late))
        .contains(T.plusSeconds(600));
    assertThat(MeetingProcessing.ended(ended, since(T.plusSeconds(10)), late.minusMillis(1)))
        .isEmpty();
    assertThat(MeetingProcessing.ended(ended, since(T.plusSeconds(700)), late)).isEmpty();
  }

  /** A start at 0.99 is told as 0 and 600.99 s as 600: the end at 601.98 is told as 600. */
  @Test
  void anEndMayLieTwoSecondsAfterWhatIsTold() {
    RoomActivity ended = new RoomActivity.Ended(T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(MeetingProcessing.GRACE);

    assertThat(MeetingProcessing.ended(ended, since(T.plusMillis(601_900)), late))
        .contains(T.plusSeconds(600));
    assertThat(MeetingProcessing.ended(ended, since(T.plusMillis(602_000)), late)).isEmpty();
  }

  /** Daily's times are some 15 s coarse; the attendance tells that the end is this meeting's. */
  @Test
  void theEndOfAMeetingThatWasAttendedMayBeToldSeventeenSecondsTooEarly() {
    RoomActivity ended = new RoomActivity.Ended(T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(MeetingProcessing.GRACE);

    assertThat(MeetingProcessing.ended(ended, attended(T.plusMillis(616_900)), late))
        .contains(T.plusSeconds(600));
    assertThat(MeetingProcessing.ended(ended, attended(T.plusSeconds(617)), late)).isEmpty();
  }

  private static MeetingRows.Tracked since(Instant tracked) {
    return new MeetingRows.Tracked(
        new Meeting(1, 1, "daily", "room", "active", true), tracked, false);
  }

  private static MeetingRows.Tracked attended(Instant tracked) {
    return new MeetingRows.Tracked(since(tracked).meeting(), tracked, true);
  }

  @Test
  void silenceIsNoEnd() {
    for (RoomActivity activity :
        new RoomActivity[] {
          new RoomActivity.Ongoing(T),
          new RoomActivity.Never(),
          new RoomActivity.Unknown(Outage.of(Outage.Cause.NOT_FOUND))
        }) {
      assertThat(MeetingProcessing.ended(activity, since(T), T.plus(Duration.ofDays(1)))).isEmpty();
    }
  }

  @Test
  void scenario10AMeetingThatIsBeingProcessedIsSkippedAndALaterRunProcessesIt() {
    try (PresenceKit kit = new PresenceKit(SimulatorOptions.defaults())) {
      Node node = kit.node(PresenceKit.quick());
      long meeting;
      try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
        meeting = kit.meeting("mtg-123");
        Ended _ = PresenceKit.polled(ended, meeting);
      }
      String _ = kit.redis.call(commands -> commands.set(Keys.processLock(meeting), "worker 1"));
      node.presence().processing().run();
      assertThat(kit.sim.requests().count("GET /v1/meetings")).isZero();

      long _ = kit.redis.call(commands -> commands.del(Keys.processLock(meeting)));
      node.presence().processing().run();
      assertThat(kit.sim.requests().count("GET /v1/meetings")).isEqualTo(1);
      assertThat(kit.exists(Keys.processLock(meeting))).isFalse();
      assertThat(PresenceTerms.PROCESS_LEASE)
          .isEqualTo(new LeaseTerms(Duration.ofSeconds(120), Duration.ofSeconds(30)));
    }
  }
}
