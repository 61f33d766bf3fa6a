package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.meetings.RoomTracking.RoomVisit;
import io.convoke.server.meetings.RoomTracking.VisitSource;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.simulator.state.RoomRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rooms whose owner wants each visit tracked. */
class RoomTrackingTest {
  private static final String ACTIVE = "select count(*)::int from meetings where status = 'active'";

  private final PresenceTestKit kit = new PresenceTestKit();
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void eventsOfOneVisitInAnyOrderAndNumberBeginOneMeeting() throws Exception {
    rule("acme-*", kit.user);
    List<Node> nodes =
        List.of(kit.node(PresenceTestKit.quick()), kit.node(PresenceTestKit.quick()));
    var _ = kit.sim.world().ensure(RoomRequest.named("acme-1"));
    Instant joined = now.minusSeconds(20);
    String left = PresenceTestKit.left("e2", "acme-1", "ada", joined, 5, now);
    String join = PresenceTestKit.joined("e1", "acme-1", "ada", joined);
    String second = PresenceTestKit.joined("e3", "acme-1", "bob", joined.plusSeconds(1));
    for (String event : List.of(left, join, left, join, second)) {
      for (Node node : nodes) {
        assertThat(kit.webhook(node, event)).isEqualTo(200);
      }
    }
    await(() -> sessions("ada", "left_at - joined_at = interval '5 s'") == 1);
    await(() -> sessions("bob", "true") == 1);
    assertThat(kit.number("select count(*)::int from meetings")).isEqualTo(1);
    assertThat(kit.number("select count(*)::int from meetings where user_id = " + kit.user))
        .isEqualTo(1);
    assertThat(kit.number("select count(*)::int from events where data->>'to' = 'active'"))
        .isEqualTo(1);
    assertThat(kit.number("select count(*)::int from dead_letters")).isZero();
  }

  @Test
  void afterItsEndTheNextVisitBeginsAnotherMeetingAndLateEventsDoNot() throws Exception {
    rule("acme-1", kit.user);
    Node node = kit.node(PresenceTestKit.quick());
    var _ = kit.sim.world().ensure(RoomRequest.named("acme-1"));
    Instant joined = now.minusSeconds(60);
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe();
        SignalObservation<Long> closed = node.presence().signals().closed().observe();
        SignalObservation<String> kept = node.presence().signals().routed().observe()) {
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "acme-1", "ada", joined)))
          .isEqualTo(200);
      long first = committed.await(_ -> true, PresenceTestKit.SOON);
      kit.move(first, "completed");
      long _ = closed.await(it -> it == first, PresenceTestKit.SOON);

      // Daily's retry under another id, and two joins from before the end that arrive only now.
      for (String late :
          List.of(
              PresenceTestKit.joined("e2", "acme-1", "ada", joined),
              PresenceTestKit.joined("e3", "acme-1", "bob", joined.plusSeconds(3)),
              PresenceTestKit.left("e4", "acme-1", "bob", joined.plusSeconds(3), 1, now))) {
        assertThat(kit.webhook(node, late)).isEqualTo(200);
        String _ = kept.await("unknown room"::equals, PresenceTestKit.SOON);
      }
      assertThat(kit.number(ACTIVE)).isZero();

      Instant later = Instant.now().plusSeconds(1);
      assertThat(kit.webhook(node, PresenceTestKit.joined("e5", "acme-1", "cleo", later)))
          .isEqualTo(200);
      long next = committed.await(it -> it != first, PresenceTestKit.SOON);
      // Nor does a late event show the earlier visit in the next meeting.
      assertThat(
              kit.webhook(
                  node, PresenceTestKit.left("e6", "acme-1", "bob", joined.plusSeconds(3), 1, now)))
          .isEqualTo(200);
      long _ = committed.await(it -> it == next, PresenceTestKit.SOON);
      assertThat(sessions("bob", "true")).isZero();
      assertThat(kit.number("select count(*)::int from meetings")).isEqualTo(2);
      assertThat(kit.events(next, "meeting.status_changed"))
          .singleElement()
          .matches(event -> event.path("reason").asString().equals("tracked_by_rule"));
    }
  }

  @Test
  void aMeetingThatAVisitFromAClockThatIsAheadBeganIsOneByRule() throws Exception {
    rule("acme-1", kit.user);
    Node node = kit.node(PresenceTestKit.quick());
    var _ = kit.sim.world().ensure(RoomRequest.named("acme-1"));
    Instant ahead = now.plusSeconds(30);
    assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "acme-1", "bob", ahead)))
        .isEqualTo(200);
    await(() -> sessions("bob", "true") == 1);
    Instant before = now.minusSeconds(40);
    assertThat(kit.webhook(node, PresenceTestKit.left("e2", "acme-1", "ada", before, 34, now)))
        .isEqualTo(200);
    await(() -> sessions("ada", "true") == 1);
    assertThat(kit.number("select count(*)::int from meetings")).isEqualTo(1);
  }

  /** No webhook arrives; ticks come although no meeting is live. */
  @Test
  void aVisitThatOnlyTheListOfAllRoomsShowsIsTracked() throws Exception {
    rule("acme-*", kit.user);
    PresenceConfig quick = PresenceTestKit.quick();
    PresenceConfig ticking =
        new PresenceConfig(
            quick.coalesceWindow(),
            quick.minPollInterval(),
            Duration.ofSeconds(1),
            PresenceConfig.ReconcileMode.BULK,
            quick.processInterval(),
            quick.unusedTimeout(),
            quick.concurrency());
    Node node = kit.node(ticking);
    try (SignalObservation<String> ticked = node.presence().signals().ticked().observe()) {
      for (int tick = 0; tick < 3; tick++) {
        String _ = ticked.await("bulk"::equals, PresenceTestKit.SOON);
      }
    }
    Node _ = kit.node(ticking);
    for (String room : List.of("acme-1", "acme-2", "elsewhere")) {
      var _ = kit.sim.world().ensure(RoomRequest.named(room));
      String _ = kit.join(room, "Ada");
    }
    await(() -> kit.number("select count(*)::int from participant_sessions") == 2);
    assertThat(node.presence().reconciler().tick()).isTrue();
    assertThat(kit.number("select count(*)::int from meetings")).isEqualTo(2);
    assertThat(
            kit.number(
                "select count(*)::int from meetings where platform_specific_id like 'acme-%'"))
        .isEqualTo(2);
  }

  @Test
  void sixtyRoomsWithARuleThatNobodyIsInCostTheListOfAllRooms() {
    rule("acme-*", kit.user);
    Node node = kit.node(PresenceTestKit.quick());
    for (int room = 0; room < 60; room++) {
      var _ = kit.sim.world().ensure(RoomRequest.named("acme-" + room));
    }
    long before = kit.calls();
    for (int second = 0; second < 60; second++) {
      node.presence().processing().run();
      if (second % 15 == 0) {
        assertThat(node.presence().reconciler().tick()).isFalse();
      }
    }
    assertThat(kit.calls() - before).isEqualTo(4);
  }

  /** By {@code mtgSessionId}: whoever comes, one session of Daily is one meeting. */
  @Test
  void whoComesToASessionWhoseMeetingIsOverBeginsNoneAndTheNextSessionDoes() throws Exception {
    rule("acme-*", kit.user);
    Node node = kit.node(PresenceTestKit.quick());
    var _ = kit.sim.world().ensure(RoomRequest.named("acme-1"));
    String _ = kit.join("acme-1", "Ada");
    try (SignalObservation<Long> polled = node.presence().signals().polled().observe();
        SignalObservation<Long> closed = node.presence().signals().closed().observe()) {
      assertThat(node.presence().reconciler().tick()).isFalse();
      long first = polled.await(_ -> true, PresenceTestKit.SOON);
      kit.move(first, "completed");
      long _ = closed.await(it -> it == first, PresenceTestKit.SOON);

      String _ = kit.join("acme-1", "Bob");
      assertThat(node.presence().reconciler().tick()).isFalse();
      assertThat(kit.number("select count(*)::int from meetings")).isEqualTo(1);

      assertThat(kit.sim.world().endMeeting("acme-1")).isTrue();
      String _ = kit.join("acme-1", "Cleo");
      assertThat(node.presence().reconciler().tick()).isFalse();
      long _ = polled.await(it -> it != first, PresenceTestKit.SOON);
      assertThat(kit.number("select count(*)::int from meetings")).isEqualTo(2);
    }
  }

  @Test
  void ofManyNodesThatSeeAVisitAtOnceOneBeginsTheMeeting() throws Exception {
    rule("acme-*", kit.user);
    RoomTracking tracking = new RoomTracking(kit.database, kit.journal, QuotaCheck.NONE);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 20; round++) {
        String room = "acme-" + round;
        CyclicBarrier start = new CyclicBarrier(6);
        List<Future<?>> calls = new ArrayList<>();
        for (int node = 0; node < 6; node++) {
          VisitSource source = node % 2 == 0 ? VisitSource.EVENTS : VisitSource.SNAPSHOT;
          calls.add(
              threads.submit(
                  () -> {
                    int _ = start.await();
                    return tracking.track("daily", List.of(visit(room, "ada", "")), source);
                  }));
        }
        for (Future<?> call : calls) {
          var _ = call.get();
        }
      }
    }
    assertThat(kit.number(ACTIVE)).isEqualTo(20);
    assertThat(kit.number("select count(*)::int from events where data->>'to' = 'active'"))
        .isEqualTo(20);
  }

  @Test
  void theRuleIsForTheRoomsOfItsUser() {
    long other =
        kit.database.read(
            tx ->
                tx.sql("insert into users (email) values ('other@example.org') returning id")
                    .one(resultRow -> resultRow.longAt("id")));
    rule("acme-*", kit.user);
    claim("acme-theirs", other, Optional.empty());
    claim("acme-own", kit.user, Optional.empty());
    // As an earlier release leaves the row when it moves the room.
    claim("moved-*", other, Optional.of(kit.user));
    RoomTracking tracking = new RoomTracking(kit.database, kit.journal, QuotaCheck.NONE);
    List<RoomVisit> visits =
        List.of(
            visit("acme-own", "a", ""),
            visit("acme-theirs", "b", ""),
            visit("moved-1", "c", ""),
            visit("elsewhere", "d", ""));
    assertThat(tracking.track("daily", visits, VisitSource.EVENTS)).containsExactly("acme-own");
    assertThat(tracking.track("zoom", visits, VisitSource.EVENTS)).isEmpty();
    assertThat(kit.number(ACTIVE)).isEqualTo(1);
  }

  @Test
  void aVisitFromBeforeTheRoomWasTheOwnersBeginsNoMeeting() {
    rule("acme-*", kit.user);
    RoomTracking tracking = new RoomTracking(kit.database, kit.journal, QuotaCheck.NONE);
    RoomVisit before =
        new RoomVisit("acme-1", "ada", now.minus(Duration.ofHours(2)), Optional.empty());
    assertThat(tracking.track("daily", List.of(before), VisitSource.EVENTS)).hasSize(1);
    assertThat(kit.number(ACTIVE)).isZero();
    assertThat(tracking.track("daily", List.of(before), VisitSource.SNAPSHOT)).hasSize(1);
    assertThat(kit.number(ACTIVE)).isEqualTo(1);
  }

  @Test
  void aSnapshotOfManyRoomsBeginsNoMoreMeetingsThanTheQuotaPermits() {
    rule("acme-*", kit.user);
    QuotaCheck two =
        (quota, count, user, _) -> {
          if (quota == QuotaName.MEETINGS && kit.number(ACTIVE) + count > 2) {
            throw Problem.tooMany("quota_exceeded", user + " has two", Duration.ofSeconds(1));
          }
        };
    List<RoomVisit> visits =
        IntStream.range(0, 5).mapToObj(n -> visit("acme-" + n, "ada-" + n, "")).toList();
    RoomTracking tracking = new RoomTracking(kit.database, kit.journal, two);
    assertThat(tracking.track("daily", visits, VisitSource.SNAPSHOT)).hasSize(5);
    assertThat(kit.number(ACTIVE)).isEqualTo(2);
    RoomTracking unlimited = new RoomTracking(kit.database, kit.journal, QuotaCheck.NONE);
    assertThat(unlimited.track("daily", visits, VisitSource.SNAPSHOT)).hasSize(5);
    assertThat(kit.number(ACTIVE)).isEqualTo(5);
    assertThat(kit.number("select count(*)::int from events where data->>'to' = 'active'"))
        .isEqualTo(5);
  }

  @Test
  void meetingsOfASnapshotBeginAHundredInATransaction() {
    rule("acme-*", kit.user);
    List<RoomVisit> visits =
        IntStream.range(0, 250).mapToObj(n -> visit("acme-" + n, "ada-" + n, "")).toList();
    RoomTracking tracking = new RoomTracking(kit.database, kit.journal, QuotaCheck.NONE);
    assertThat(tracking.track("daily", visits, VisitSource.SNAPSHOT)).hasSize(250);
    assertThat(kit.number(ACTIVE)).isEqualTo(250);
    assertThat(kit.number("select count(distinct xmin::text)::int from meetings")).isEqualTo(3);
    assertThat(kit.number("select count(*)::int from events where data->>'to' = 'active'"))
        .isEqualTo(250);
  }

  /** Both nodes have asked for the quota before one of them begins a meeting. */
  @Test
  void twoNodesWithTheSameSnapshotBeginNoMoreMeetingsThanTheQuotaPermits() throws Exception {
    rule("acme-*", kit.user);
    CyclicBarrier asked = new CyclicBarrier(2);
    QuotaCheck two =
        (quota, count, user, _) -> {
          if (quota == QuotaName.MEETINGS && kit.number(ACTIVE) + count > 2) {
            throw Problem.tooMany("quota_exceeded", user + " has two", Duration.ofSeconds(1));
          }
          if (quota == QuotaName.MEETINGS) {
            meet(asked);
          }
        };
    List<RoomVisit> visits =
        IntStream.range(0, 5).mapToObj(n -> visit("acme-" + n, "ada-" + n, "")).toList();
    RoomTracking tracking = new RoomTracking(kit.database, kit.journal, two);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> nodes = new ArrayList<>();
      for (int node = 0; node < 2; node++) {
        nodes.add(threads.submit(() -> tracking.track("daily", visits, VisitSource.SNAPSHOT)));
      }
      for (Future<?> node : nodes) {
        var _ = node.get();
      }
    }
    assertThat(kit.number(ACTIVE)).isEqualTo(2);
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      int _ = barrier.await(PresenceTestKit.SOON.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private RoomVisit visit(String room, String session, String platformSession) {
    return new RoomVisit(
        room, session, now, Optional.of(platformSession).filter(it -> !it.isEmpty()));
  }

  private void rule(String room, long user) {
    claim(room, user, Optional.of(user));
  }

  private void claim(String room, long user, Optional<Long> tracksFor) {
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into rooms (platform, room, user_id, claimed_at, opens_at, tracks_for)
                      values ('daily', ?, ?, now(), now() - interval '1 hour', ?)
                      """)
                  .with(room, user, tracksFor)
                  .update();
        });
  }

  private int sessions(String id, String condition) {
    return kit.number(
        "select count(*)::int from participant_sessions where session_id = '"
            + id
            + "' and "
            + condition);
  }

  private static void await(BooleanSupplier condition) {
    Await.until(PresenceTestKit.SOON, condition);
  }
}
