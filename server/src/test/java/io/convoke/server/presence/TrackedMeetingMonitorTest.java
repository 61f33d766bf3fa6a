package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.LeaseConfig;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.MeetingAttendance;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.simulator.SimulatorConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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

  private static final PlatformError TIMEOUT =
      PlatformError.of(PlatformError.PlatformErrorKind.TIMEOUT);

  private static final MeetingAttendance UNKNOWN = new MeetingAttendance.AttendanceUnknown(TIMEOUT);

  /** The platform tells the end of a visit in whole seconds: it may be two seconds later. */
  @Test
  void whoLeftBeforeTheMeetingWasTrackedDidNotAttendIt() {
    try (TrackedRoom room = new TrackedRoom();
        SignalObservation<Long> closed = room.signals.closed().observe()) {
      Instant tracked = room.state().createdAt();
      Instant end = tracked.plusSeconds(600);
      room.check(
          new RoomActivity.RoomMeetingEnded("m", tracked, end),
          new MeetingAttendance.AttendanceKnown(
              List.of(
                  attendee("before", tracked.minusSeconds(2)),
                  attendee("just", tracked.minusSeconds(2).plusMillis(1)),
                  attendee("guest", end))),
          InstantSource.fixed(end.plus(RoomCheckSchedule.GRACE)));

      assertThat(room.visitors()).containsExactly("just", "guest");
      assertThat(room.endReasons()).containsExactly("platform_ended");
      assertThat(room.mapped()).isFalse();
      assertThat(closed.drain()).containsExactly(room.meeting);
    }
  }

  @Test
  void aMeetingWaitsTenMinutesForItsAttendance() {
    try (TrackedRoom room = new TrackedRoom()) {
      Instant tracked = room.state().createdAt();
      Instant end = tracked.plusSeconds(600);
      RoomActivity ended = new RoomActivity.RoomMeetingEnded("m", tracked, end);
      Instant over = end.plus(Duration.ofMinutes(10));

      room.check(ended, UNKNOWN, InstantSource.fixed(over.minusMillis(1)));
      assertThat(room.state().checkedAt()).as("checked again by the next run").isEmpty();
      room.check(ended, UNKNOWN, InstantSource.fixed(over));
      assertThat(room.endReasons()).containsExactly("platform_ended");
      assertThat(room.visitors()).isEmpty();
    }
  }

  /** The session before has another attendance. */
  @Test
  void aRoomThatWasNeverUsedHasNoAttendance() {
    try (TrackedRoom room = new TrackedRoom()) {
      Instant tracked = room.state().createdAt();
      RoomActivity yesterday =
          new RoomActivity.RoomMeetingEnded(
              "m", tracked.minusSeconds(90_000), tracked.minusSeconds(86_400));
      room.check(yesterday, UNKNOWN, InstantSource.fixed(tracked.plus(UNUSED)));
      assertThat(room.endReasons()).containsExactly("never_used");
    }
  }

  @Test
  void aCheckCountsUnlessThePlatformDidNotAnswer() {
    try (TrackedRoom room = new TrackedRoom()) {
      PlatformError notFound = PlatformError.of(PlatformError.PlatformErrorKind.NOT_FOUND);
      Instant now = room.state().createdAt();
      for (RoomActivity answer :
          List.of(
              new RoomActivity.RoomNeverUsed(),
              new RoomActivity.RoomActivityUnknown(notFound),
              new RoomActivity.RoomMeetingOngoing(now))) {
        now = now.plus(Duration.ofHours(2));
        room.check(answer, UNKNOWN, InstantSource.fixed(now));
        assertThat(room.state().checkedAt()).contains(now);
      }
      Instant later = now.plus(Duration.ofHours(2));
      room.check(
          new RoomActivity.RoomActivityUnknown(TIMEOUT), UNKNOWN, InstantSource.fixed(later));
      assertThat(room.state().checkedAt()).contains(now);
      assertThat(room.mapped()).isTrue();
    }
  }

  @Test
  void aRoomThatAnotherNodeCheckedMeanwhileIsLeftToIt() {
    try (TrackedRoom room = new TrackedRoom()) {
      MeetingQueries.TrackedMeeting before = room.state();
      Instant end = before.createdAt().plusSeconds(600);
      Instant now = end.plus(RoomCheckSchedule.GRACE);
      InstantSource afterTheOther =
          () -> {
            boolean _ = room.queries.claimCheck(before, end);
            return now;
          };
      room.check(
          new RoomActivity.RoomMeetingEnded("m", before.createdAt(), end),
          new MeetingAttendance.AttendanceKnown(List.of()),
          afterTheOther);

      assertThat(room.state().checkedAt()).contains(end);
      assertThat(room.mapped()).isTrue();
    }
  }

  private static MeetingAttendance.Attendee attendee(String session, Instant left) {
    return new MeetingAttendance.Attendee(
        new Participant(session, Optional.empty(), Optional.empty(), left.minusSeconds(60)), left);
  }

  /** A tracked meeting in which no participant was seen, and the worker that checks it. */
  private static final class TrackedRoom implements AutoCloseable {
    private final PresenceTestKit kit = new PresenceTestKit();
    private final LeaseRenewer leases =
        new LeaseRenewer(kit.redis, "node", new SimpleMeterRegistry());
    private final MeetingQueries queries = new MeetingQueries(kit.database);
    private final RoomMap rooms = new RoomMap(kit.redis, PlatformKeys.DAILY);
    private final PresenceTestSignals signals = new PresenceTestSignals();
    private final long meeting = kit.row("room", "active", true);

    private TrackedRoom() {
      rooms.add(List.of(new RoomMap.RoomMapEntry("room", meeting)));
    }

    /** One run, with these answers of the platform. */
    private void check(RoomActivity activity, MeetingAttendance attendance, InstantSource time) {
      new TrackedMeetingMonitor(
              leases,
              queries,
              new PresenceRepository(kit.database, kit.journal, Duration.ofSeconds(30), time),
              rooms,
              new AnsweringPlatform(activity, attendance),
              signals,
              PresenceTestKit.quick(),
              time)
          .run();
    }

    /** As the worker reads it; it must be active. */
    private MeetingQueries.TrackedMeeting state() {
      return queries.quiet("daily").getFirst();
    }

    private boolean mapped() {
      return rooms.read().contains(new RoomMap.RoomMapEntry("room", meeting));
    }

    private List<String> visitors() {
      return kit.events(meeting, "participant.joined").stream()
          .map(event -> event.path("session_id").asString())
          .toList();
    }

    private List<String> endReasons() {
      return kit.events(meeting, "meeting.status_changed").stream()
          .filter(event -> event.path("to").asString().equals("completed"))
          .map(event -> event.path("reason").asString())
          .toList();
    }

    @Override
    public void close() {
      leases.close();
      kit.close();
    }
  }

  /** A platform that always answers the same, and knows only ended meetings. */
  private record AnsweringPlatform(RoomActivity activity, MeetingAttendance attendance)
      implements PlatformClient {
    @Override
    public String name() {
      return "daily";
    }

    @Override
    public RoomActivity activity(String room) {
      return activity;
    }

    @Override
    public MeetingAttendance attendance(String session) {
      return attendance;
    }

    @Override
    public RoomPresence presence(String room) {
      throw new AssertionError("asked who is in " + room);
    }

    @Override
    public DomainPresence presence() {
      throw new AssertionError("asked who is in all rooms");
    }

    @Override
    public RoomAddress roomAddress(String room) {
      throw new AssertionError("asked for the URL of " + room);
    }
  }
}
