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
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Ended meetings are completed after a grace period, by one worker at a time (presence-10). */
class TrackedMeetingMonitorTest {
  private static final Instant T = Instant.parse("2026-03-02T09:00:00Z");

  private static final Duration UNUSED = Duration.ofDays(7);

  @Test
  void aMeetingEndedOnlyAfterTheGraceAndOnlyIfItEndedSinceItIsTracked() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded("m", T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(RoomCheckSchedule.GRACE);

    assertThat(end(ended, since(T.plusSeconds(10)), late)).contains(T.plusSeconds(600));
    assertThat(end(ended, since(T.plusSeconds(10)), late.minusMillis(1))).isEmpty();
    assertThat(end(ended, since(T.plusSeconds(700)), late)).isEmpty();
  }

  /** A start at 0.99 is reported as 0 and 600.99 s as 600: the end at 601.98 is reported as 600. */
  @Test
  void anEndMayBeTwoSecondsLaterThanReported() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded("m", T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(RoomCheckSchedule.GRACE);

    assertThat(end(ended, since(T.plusMillis(601_900)), late)).contains(T.plusSeconds(600));
    assertThat(end(ended, since(T.plusMillis(602_000)), late)).isEmpty();
  }

  /** Daily's times are some 15 s coarse; the attendance proves that the end is this meeting's. */
  @Test
  void theEndOfAnAttendedMeetingMayBeReportedSeventeenSecondsTooEarly() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded("m", T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(RoomCheckSchedule.GRACE);
    Instant just = T.plusMillis(616_900);

    assertThat(end(ended, attended(just, T.plusSeconds(617)), late)).contains(T.plusSeconds(617));
    assertThat(end(ended, attended(just, T.plusSeconds(618)), late)).contains(T.plusSeconds(600));
    assertThat(end(ended, attended(T.plusSeconds(617), T.plusSeconds(617)), late)).isEmpty();
  }

  @Test
  void aVisitWithoutASessionOfThePlatformIsOverTenMinutesLater() {
    MeetingQueries.TrackedMeeting visited = attended(T, T.plusSeconds(25));
    RoomActivity yesterday =
        new RoomActivity.RoomMeetingEnded("m", T.minusSeconds(90_000), T.minusSeconds(86_400));
    Instant over = T.plusSeconds(625);

    for (RoomActivity none : List.of(new RoomActivity.RoomNeverUsed(), yesterday)) {
      assertThat(TrackedMeetingMonitor.ended(none, visited, UNUSED, over))
          .contains(
              new TrackedMeetingMonitor.MeetingEnd(
                  T.plusSeconds(25), TrackedMeetingMonitor.EndReason.SHORT_VISIT));
      assertThat(end(none, visited, over.minusMillis(1))).isEmpty();
    }
  }

  @Test
  void aRoomThatNobodyUsesEndsAfterItsTimeout() {
    Instant timeout = T.plus(UNUSED);
    RoomActivity gone =
        new RoomActivity.RoomActivityUnknown(
            PlatformError.of(PlatformError.PlatformErrorKind.NOT_FOUND));

    for (RoomActivity none : List.of(new RoomActivity.RoomNeverUsed(), gone)) {
      assertThat(TrackedMeetingMonitor.ended(none, since(T), UNUSED, timeout))
          .contains(
              new TrackedMeetingMonitor.MeetingEnd(
                  timeout, TrackedMeetingMonitor.EndReason.NEVER_USED));
      assertThat(end(none, since(T), timeout.minusMillis(1))).isEmpty();
    }
  }

  @Test
  void aRoomWithoutHistoryEndsWhenItStaysEmpty() {
    RoomActivity empty = new RoomActivity.RoomEmpty(T);
    Instant left = T.plusSeconds(25);
    Instant over = left.plus(RoomCheckSchedule.GRACE);

    assertThat(TrackedMeetingMonitor.ended(empty, attended(T, left), UNUSED, over))
        .contains(
            new TrackedMeetingMonitor.MeetingEnd(left, TrackedMeetingMonitor.EndReason.ROOM_EMPTY));
    assertThat(end(empty, attended(T, left), over.minusMillis(1))).isEmpty();
    assertThat(end(empty, since(T), over)).isEmpty();
    assertThat(end(empty, since(T), T.plus(UNUSED))).contains(T.plus(UNUSED));
  }

  private static Optional<Instant> end(
      RoomActivity activity, MeetingQueries.TrackedMeeting trackedMeeting, Instant now) {
    return TrackedMeetingMonitor.ended(activity, trackedMeeting, UNUSED, now)
        .map(TrackedMeetingMonitor.MeetingEnd::at);
  }

  private static MeetingQueries.TrackedMeeting since(Instant tracked) {
    return new MeetingQueries.TrackedMeeting(
        new PresenceMeeting(1, 1, "daily", "room", "active", true),
        tracked,
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static MeetingQueries.TrackedMeeting attended(Instant tracked, Instant left) {
    return new MeetingQueries.TrackedMeeting(
        since(tracked).meeting(),
        tracked,
        true,
        Optional.of(left),
        Optional.empty(),
        Optional.empty());
  }

  private static MeetingQueries.TrackedMeeting shown(
      Instant tracked, Instant left, String session) {
    return new MeetingQueries.TrackedMeeting(
        since(tracked).meeting(),
        tracked,
        true,
        Optional.of(left),
        Optional.empty(),
        Optional.of(session));
  }

  /** Whatever their times are: Daily's id of the meeting tells two sessions of a room apart. */
  @Test
  void aSessionThatPresenceShowedIsTheMeetingsAndOneFromJustBeforeIsNot() {
    RoomActivity ended = new RoomActivity.RoomMeetingEnded("m", T, T.plusSeconds(600));
    Instant late = T.plusSeconds(600).plus(RoomCheckSchedule.GRACE);
    Instant left = T.plusSeconds(610);

    assertThat(end(ended, shown(T.plusSeconds(605), left, "m"), late)).contains(left);
    assertThat(end(ended, shown(T.plusSeconds(605), left, "next"), late)).isEmpty();
    assertThat(end(ended, shown(T.plusSeconds(700), left, "m"), late)).isPresent();
    // The participant who was left alone is in a later session, which no poll showed.
    assertThat(end(ended, shown(T.minusSeconds(600), left, "before"), late)).contains(left);
  }

  @Test
  void silenceIsNoEnd() {
    Instant years = T.plus(Duration.ofDays(1000));
    for (RoomActivity activity :
        List.of(
            new RoomActivity.RoomMeetingOngoing(T),
            new RoomActivity.RoomActivityUnknown(
                PlatformError.of(PlatformError.PlatformErrorKind.TIMEOUT)))) {
      assertThat(end(activity, since(T), years)).isEmpty();
      assertThat(end(activity, attended(T, T), years)).isEmpty();
    }
  }

  @Test
  void scenario10AMeetingThatIsBeingProcessedIsSkippedAndALaterRunProcessesIt() {
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults())) {
      Node node = kit.node(PresenceTestKit.quick());
      long meeting;
      try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
        meeting = kit.meeting("mtg-123");
        // Before the poll: the first run of the node's own may come after it on a busy machine.
        String _ =
            kit.redis.call(commands -> commands.set(PresenceKeys.processLock(meeting), "worker 1"));
        ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      }
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
