package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.LeaseConfig;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.simulator.SimulatorConfig;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Ended meetings are completed after a grace period, by one worker at a time (presence-10). */
class TrackedMeetingMonitorTest {
  private static final Instant T = Instant.parse("2026-03-02T09:00:00Z");

  @Test
  void aMeetingEndedOnlyAfterTheGraceAndOnlyIfItEndedSinceItIsTracked() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded(T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(TrackedMeetingMonitor.GRACE);

    assertThat(TrackedMeetingMonitor.ended(ended, since(T.plusSeconds(10)), late))
        .contains(T.plusSeconds(600));
    assertThat(TrackedMeetingMonitor.ended(ended, since(T.plusSeconds(10)), late.minusMillis(1)))
        .isEmpty();
    assertThat(TrackedMeetingMonitor.ended(ended, since(T.plusSeconds(700)), late)).isEmpty();
  }

  /** A start at 0.99 is reported as 0 and 600.99 s as 600: the end at 601.98 is reported as 600. */
  @Test
  void anEndMayBeTwoSecondsLaterThanReported() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded(T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(TrackedMeetingMonitor.GRACE);

    assertThat(TrackedMeetingMonitor.ended(ended, since(T.plusMillis(601_900)), late))
        .contains(T.plusSeconds(600));
    assertThat(TrackedMeetingMonitor.ended(ended, since(T.plusMillis(602_000)), late)).isEmpty();
  }

  /** Daily's times are some 15 s coarse; the attendance proves that the end is this meeting's. */
  @Test
  void theEndOfAnAttendedMeetingMayBeReportedSeventeenSecondsTooEarly() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded(T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(TrackedMeetingMonitor.GRACE);

    assertThat(TrackedMeetingMonitor.ended(ended, attended(T.plusMillis(616_900)), late))
        .contains(T.plusSeconds(600));
    assertThat(TrackedMeetingMonitor.ended(ended, attended(T.plusSeconds(617)), late)).isEmpty();
  }

  private static MeetingQueries.TrackedMeeting since(Instant tracked) {
    return new MeetingQueries.TrackedMeeting(
        new PresenceMeeting(1, 1, "daily", "room", "active", true), tracked, false);
  }

  private static MeetingQueries.TrackedMeeting attended(Instant tracked) {
    return new MeetingQueries.TrackedMeeting(since(tracked).meeting(), tracked, true);
  }

  @Test
  void silenceIsNoEnd() {
    for (RoomActivity activity :
        new RoomActivity[] {
          new RoomActivity.RoomMeetingOngoing(T),
          new RoomActivity.RoomNeverUsed(),
          new RoomActivity.RoomActivityUnknown(
              PlatformError.of(PlatformError.PlatformErrorKind.NOT_FOUND))
        }) {
      assertThat(TrackedMeetingMonitor.ended(activity, since(T), T.plus(Duration.ofDays(1))))
          .isEmpty();
    }
  }

  @Test
  void scenario10AMeetingThatIsBeingProcessedIsSkippedAndALaterRunProcessesIt() {
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults())) {
      Node node = kit.node(PresenceTestKit.quick());
      long meeting;
      try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
        meeting = kit.meeting("mtg-123");
        ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      }
      String _ =
          kit.redis.call(commands -> commands.set(PresenceKeys.processLock(meeting), "worker 1"));
      node.presence().processing().run();
      assertThat(kit.sim.requests().count("GET /v1/meetings")).isZero();

      long _ = kit.redis.call(commands -> commands.del(PresenceKeys.processLock(meeting)));
      node.presence().processing().run();
      assertThat(kit.sim.requests().count("GET /v1/meetings")).isEqualTo(1);
      assertThat(kit.exists(PresenceKeys.processLock(meeting))).isFalse();
      assertThat(PresenceConfig.PROCESS_LEASE)
          .isEqualTo(new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30)));
    }
  }
}
