package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.presence.PresenceRepository.EventsResult;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.server.presence.merge.ChangeSource;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.webhook.WebhookDelivery;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Daily's rules of meeting sessions do not decide who is in the room. */
class DailySessionsTest {

  @Test
  void whoIsLeftAloneStaysWhenTheSessionIsReset() throws Exception {
    SimulationTimings quick = SimulationTimings.DAILY.withLeftAlone(Duration.ofSeconds(2));
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults().withTimings(quick))) {
      Node node = kit.node(CoarseTimesTest.unconditional());
      kit.webhooksTo(node);
      long meeting = kit.meeting("room");
      String host = kit.join("room", "Host");
      String guest = kit.join("room", "Guest");
      kit.leave("room", guest);
      WebhookDelivery _ =
          kit.sim.awaitWebhook(
              sent ->
                  sent.envelope().type().equals("meeting.ended")
                      && sent.end() == WebhookDelivery.DeliveryEnd.DELIVERED,
              PresenceTestKit.SOON);
      try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
        assertThat(node.presence().reconciler().tick()).isTrue();
        ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      }
      assertThat(kit.sim.truth().meetings()).hasSize(2);
      assertThat(kit.names(node, meeting)).containsExactly("Host");
      assertThat(kit.events(meeting, "participant.joined")).hasSize(2);
      assertThat(kit.events(meeting, "participant.left"))
          .noneMatch(left -> left.path("session_id").asString().equals(host));
    }
  }

  @Test
  void whoWasMissedIsAddedFromTheAttendanceWhenTheMeetingEnds() throws Exception {
    SimulationTimings quick =
        SimulationTimings.DAILY
            .withMeetingEnd(Duration.ZERO)
            .withRecorded(Duration.ZERO)
            .withGranularity(Duration.ZERO);
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults().withTimings(quick));
        LeaseRenewer leases = new LeaseRenewer(kit.redis, "node", new SimpleMeterRegistry())) {
      long meeting = kit.meeting("room");
      InstantSource later = InstantSource.offset(InstantSource.system(), Duration.ofMinutes(1));
      PresenceRepository repository =
          new PresenceRepository(kit.database, kit.journal, Duration.ofSeconds(30), later);
      Instant joined = Instant.now().truncatedTo(ChronoUnit.MILLIS);
      String ada = kit.join("room", "Ada");
      EventsResult _ =
          repository.commit(meeting, known(ada, joined), Optional.empty(), ChangeSource.WEBHOOK);
      for (int i = 0; i < 120; i++) {
        String _ = kit.join("room", "Guest " + i);
      }
      assertThat(kit.sim.world().endMeeting("room")).isTrue();

      monitor(kit, leases, later).run();

      assertThat(kit.number("select count(*)::int from meetings where status = 'completed'"))
          .isEqualTo(1);
      assertThat(
              kit.number(
                  "select count(*)::int from participant_sessions where left_at is not null"))
          .isEqualTo(121);
      assertThat(kit.events(meeting, "participant.joined"))
          .filteredOn(event -> event.path("session_id").asString().equals(ada))
          .singleElement()
          .matches(event -> Instant.parse(event.path("joined_at").asString()).equals(joined));
      assertThat(kit.events(meeting, "participant.left")).hasSize(121);
    }
  }

  /**
   * The session before the meeting ended a moment ago, and Daily does not count the visit since.
   */
  @Test
  void theEndOfTheSessionBeforeIsNotTheEndOfAMeeting() throws Exception {
    SimulationTimings quick =
        SimulationTimings.DAILY.withMeetingEnd(Duration.ZERO).withRecorded(Duration.ZERO);
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults().withTimings(quick));
        LeaseRenewer leases = new LeaseRenewer(kit.redis, "node", new SimpleMeterRegistry())) {
      Node node = kit.node(CoarseTimesTest.unconditional());
      var _ = kit.sim.world().ensure(RoomRequest.named("room"));
      String _ = kit.join("room", "Guest");
      String _ = kit.join("room", "Host");
      assertThat(kit.sim.world().endMeeting("room")).isTrue();
      long meeting;
      String ada = kit.join("room", "Ada");
      try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
        meeting = kit.meeting("room");
        ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      }
      assertThat(kit.names(node, meeting)).containsExactly("Ada");
      kit.leave("room", ada);
      kit.database.run(
          tx -> {
            int _ =
                tx.sql("update participant_sessions set left_at = now() where session_id = ?")
                    .with(ada)
                    .update();
          });
      for (int minutes : new int[] {1, 11}) {
        InstantSource later =
            InstantSource.offset(InstantSource.system(), Duration.ofMinutes(minutes));
        monitor(kit, leases, later).run();
        assertThat(
                kit.events(meeting, "meeting.status_changed").stream()
                    .map(event -> event.path("reason").asString(""))
                    .filter(reason -> !reason.isEmpty()))
            .isEqualTo(minutes < 10 ? List.of() : List.of("short_visit"));
      }
      assertThat(kit.events(meeting, "participant.joined")).hasSize(1);
    }
  }

  /** Daily tries again for long: the room has another meeting by then, for which no one came. */
  @Test
  void aLateEventOfAnEarlierVisitNeitherShowsItNorEndsTheMeeting() throws Exception {
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults());
        LeaseRenewer leases = new LeaseRenewer(kit.redis, "node", new SimpleMeterRegistry())) {
      Node node = kit.node(PresenceTestKit.quick());
      Instant left = Instant.now().truncatedTo(ChronoUnit.MILLIS).minus(Duration.ofMinutes(5));
      Instant joined = left.minus(Duration.ofMinutes(30));
      long meeting = kit.meeting("room");
      try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
        assertThat(
                kit.webhook(node, PresenceTestKit.left("e1", "room", "guest", joined, 1800, left)))
            .isEqualTo(200);
        long _ = committed.await(it -> it == meeting, PresenceTestKit.SOON);
      }
      assertThat(kit.number("select count(*)::int from participant_sessions")).isZero();
      assertThat(kit.events(meeting, "participant.left")).isEmpty();

      // A server of an earlier release stored the visit.
      kit.database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into participant_sessions (meeting_id, session_id, joined_at,
                          left_at, join_source, leave_source, last_seen_at)
                        values (?, 'guest', ?, ?, 'webhook', 'webhook', ?)
                        """)
                    .with(meeting, joined, left, left)
                    .update();
          });
      monitor(kit, leases, InstantSource.offset(InstantSource.system(), Duration.ofMinutes(6)))
          .run();
      assertThat(kit.number("select count(*)::int from meetings where status = 'active'"))
          .isEqualTo(1);
    }
  }

  private static TrackedMeetingMonitor monitor(
      PresenceTestKit kit, LeaseRenewer leases, InstantSource time) {
    return new TrackedMeetingMonitor(
        leases,
        new MeetingQueries(kit.database),
        new PresenceRepository(kit.database, kit.journal, Duration.ofSeconds(30), time),
        new RoomMap(kit.redis, PlatformKeys.DAILY),
        kit.client(),
        new PresenceTestSignals(),
        PresenceTestKit.quick(),
        time);
  }

  @Test
  void theWaitingRoomIsInTheTimelineOfTheMeeting() throws Exception {
    try (PresenceTestKit kit = new PresenceTestKit(SimulatorConfig.defaults())) {
      Node node = kit.node(PresenceTestKit.quick());
      kit.webhooksTo(node);
      long meeting = kit.row("room", "active", true);
      var _ = kit.sim.world().create(RoomRequest.named("room").withLobby(new Lobby.ClosedLobby()));
      try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
        String waiting = waits(kit, "Ada");
        await(kit, committed, meeting, "participant.waiting", 1);
        assertThat(kit.sim.world().decide("room", waiting, true)).isTrue();
        String refused = waits(kit, "Bob");
        // The platform may deliver the end of a wait before its beginning.
        await(kit, committed, meeting, "participant.waiting", 2);
        assertThat(kit.sim.world().decide("room", refused, false)).isTrue();
        await(kit, committed, meeting, "participant.waiting_left", 1);
        await(kit, committed, meeting, "participant.joined", 1);
      }
      assertThat(kit.events(meeting, "participant.waiting"))
          .extracting(event -> event.path("user_name").asString())
          .containsExactly("Ada", "Bob");
      assertThat(kit.events(meeting, "participant.waiting_left"))
          .extracting(event -> event.path("user_name").asString())
          .containsExactly("Bob");
      assertThat(kit.names(node, meeting)).containsExactly("Ada");
    }
  }

  private static void await(
      PresenceTestKit kit, SignalObservation<Long> committed, long meeting, String type, int events)
      throws InterruptedException {
    while (kit.events(meeting, type).size() < events) {
      long _ = committed.await(it -> it == meeting, PresenceTestKit.SOON);
    }
  }

  private static String waits(PresenceTestKit kit, String name) {
    return switch (kit.sim.world().join("room", Visitor.named(name))) {
      case JoinResult.WaitingInLobby(String session) -> session;
      case JoinResult other -> throw new AssertionError(other);
    };
  }

  private static List<PresenceEvent> known(String session, Instant joined) {
    return List.of(
        new PresenceEvent(
            "e1",
            PresenceEvent.PresenceEventKind.JOINED,
            "room",
            session,
            Optional.empty(),
            Optional.of("Ada"),
            Optional.of(joined),
            joined,
            false,
            false),
        new PresenceEvent(
            "e2",
            PresenceEvent.PresenceEventKind.LEFT,
            "room",
            session,
            Optional.empty(),
            Optional.of("Ada"),
            Optional.of(joined),
            joined.plusMillis(5),
            false,
            false));
  }
}
