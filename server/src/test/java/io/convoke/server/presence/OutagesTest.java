package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.Migrations;
import io.convoke.server.launch.Await;
import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.lettuce.core.KillArgs;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Presence without Redis: no accepted event is lost. */
class OutagesTest {
  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private long polledMeeting(Node node) {
    return polledMeeting(node, "room");
  }

  private long polledMeeting(Node node, String room) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting(room);
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      return meeting;
    }
  }

  @Test
  void withRedisStoppedWebhooksAre200AndPresenceGoesOnAndAllIsRightAfterwards() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = polledMeeting(node);
    try (SignalObservation<ClaimEnded> alone = node.presence().signals().alone().observe();
        SignalObservation<Long> drained = node.presence().signals().drained().observe()) {
      kit.redisServer.stop();
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      long _ = drained.await(it -> it == meeting, PresenceTestKit.SOON);
      assertThat(kit.numClients(meeting)).isEqualTo(1);

      // The due list in Postgres finds a participant without a webhook.
      String _ = kit.join("room", "Ada");
      allAreDue();
      ClaimEnded _ =
          alone.await(
              it -> it.meeting() == meeting && present(List.of(meeting), 2), PresenceTestKit.SOON);
      assertThat(kit.participants(node, meeting).path("poll_state").asString())
          .isEqualTo("needs_poll");
    }
    try (SignalObservation<Long> polled = node.presence().signals().polled().observe()) {
      kit.redisServer.restart();
      kit.webhooksTo(node);
      String _ = kit.join("room", "Bob");
      // A node that has not noticed the return of Redis stores his webhook in the inbox, and polls
      // without Redis.
      long _ = polled.await(it -> adaAndBobAreThere(), PresenceTestKit.SOON);
    }
    assertThat(kit.number("select count(*)::int from webhook_inbox")).isZero();
  }

  private void allAreDue() {
    kit.database.run(
        tx -> {
          int _ = tx.sql("update presence set due_at = now()").update();
        });
  }

  /** If not, they are due again: a poll that had begun before has stored when the next one is. */
  private boolean present(List<Long> meetings, int people) {
    boolean all = meetings.stream().allMatch(it -> kit.numClients(it) == people);
    if (!all) {
      allAreDue();
    }
    return all;
  }

  private boolean adaAndBobAreThere() {
    return kit.number(
            """
            select count(*)::int from participant_sessions
            where left_at is null and user_name in ('Ada', 'Bob')
            """)
        == 2;
  }

  @Tag("nightly")
  @Test
  void withRedisStoppedAMeetingThatTheRateLimiterRefusesIsPolledSoonAfter() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    List<Long> meetings = List.of(polledMeeting(node, "room-1"), polledMeeting(node, "room-2"));
    try (SignalObservation<ClaimEnded> alone = node.presence().signals().alone().observe()) {
      kit.redisServer.stop();
      String _ = kit.join("room-1", "Ada");
      String _ = kit.join("room-2", "Bob");
      allAreDue();
      ClaimEnded _ = alone.await(_ -> present(meetings, 1), PresenceTestKit.SOON);
    }
  }

  @Test
  void withRedisStoppedMeetingsEndThoughAnotherBeginsAtThatMoment() {
    Node node = kit.node(PresenceTestKit.quick());
    long polled = kit.row("room", "active", false);
    long seen = kit.row("zoom", "123", "active", false);
    Instant now = Instant.now();
    Participant ada = new Participant("s1", Optional.empty(), Optional.of("Ada"), now);
    node.presence()
        .witness()
        .report(
            seen,
            "zoom",
            new BotRoomReport(
                List.of(), Optional.of(new RoomPresence.RoomPresenceComplete(List.of(ada), now))));
    assertThat(kit.numClients(seen)).isEqualTo(1);

    kit.redisServer.stop();
    try (SignalObservation<Long> closed = node.presence().signals().closed().observe()) {
      kit.database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        update meetings set status = 'completed', end_time = now()
                        where id in (?, ?)
                        """)
                    .with(polled, seen)
                    .update();
            long begun =
                tx.sql(
                        """
                        insert into meetings
                          (user_id, platform, platform_specific_id, status, tracked)
                        values (?, 'daily', 'another', 'active', true) returning id
                        """)
                    .with(kit.user)
                    .one(resultRow -> resultRow.longAt("id"));
            kit.journal.append(tx, Stream.of(begun, polled, seen).map(this::changed).toList());
          });
      long _ = closed.await(it -> it == seen, PresenceTestKit.SOON);
    }
    assertThat(kit.numClients(seen)).isZero();
  }

  private NewJournalEvent changed(long meeting) {
    return NewJournalEvent.of(
        "meeting.status_changed",
        "meeting:" + meeting,
        Optional.of(kit.user),
        Map.of("meeting_id", meeting));
  }

  @Test
  void allMeetingsWhoseEndWasMissedAreClosedInOneRound() {
    Node node = kit.api(PresenceTestKit.quick());
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      with ended as (
                        insert into meetings
                          (user_id, platform, platform_specific_id, status, end_time)
                        select ?, 'zoom', n::text, 'completed', now()
                        from generate_series(1, 201) n
                        returning id)
                      insert into participant_sessions
                        (meeting_id, session_id, joined_at, join_source, last_seen_at)
                      select id, 's1', now() - interval '1 minute', 'bot', now() from ended
                      """)
                  .with(kit.user)
                  .update();
        });
    node.presence().reconciler().housekeeping();
    assertThat(kit.number("select count(*)::int from participant_sessions where left_at is null"))
        .isZero();
  }

  @Test
  void afterAFlushTheMapIsRebuiltAndEveryLiveMeetingIsDueOnce() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = polledMeeting(node);
    try (SignalObservation<String> recovered = node.presence().signals().recovered().observe();
        SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      kit.redisServer.flush();
      String _ = kit.join("room", "Ada");
      // The first event after the flush finds no map; it waits for the map and is not lost.
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      String _ = recovered.await(PresenceTestKit.SOON);
      ClaimEnded _ =
          ended.await(it -> it.poll() && kit.numClients(meeting) == 2, PresenceTestKit.SOON);
    }
    assertThat(kit.number("select count(*)::int from dead_letters")).isZero();
  }

  @Test
  void manyForgottenMeetingsAreComparedByOneCallInsteadOfPolledOneByOne() {
    int many = ApiBudget.DAILY.burst() + 10;
    List<Long> meetings =
        IntStream.range(0, many).mapToObj(room -> kit.meeting("room-" + room)).toList();
    String _ = kit.join("room-7", "Ada");
    Node node = kit.api(PresenceTestKit.quick());
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      node.presence().start();
      ClaimEnded _ = PresenceTestKit.polled(ended, meetings.get(7));
    }
    assertThat(kit.numClients(meetings.get(7))).isEqualTo(1);
    assertThat(kit.polls("room-3")).isZero();
    assertThat(
            kit.number(
                "select count(*)::int from presence where source = 'bulk' and as_of is not null"))
        .isEqualTo(many);
  }

  @Test
  void afterAFailoverManyMeetingsAreComparedAtOnceThoughATickWasAMomentAgo() {
    List<Long> meetings =
        IntStream.rangeClosed(0, FirstPollAllowance.BURST)
            .mapToObj(room -> kit.meeting("room-" + room))
            .toList();
    Node node = kit.api(PresenceTestKit.quick());
    try (SignalObservation<String> recovered = node.presence().signals().recovered().observe();
        SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      node.presence().start();
      String _ = recovered.await(PresenceTestKit.SOON);
      Await.until("the start is over", () -> kit.exists(PresenceKeys.SERVER));

      String _ =
          kit.redis.call(
              commands -> commands.set(PresenceKeys.TICK_LOCK, "1", SetArgs.Builder.ex(600)));
      String _ = kit.join("room-3", "Ada");
      String _ = kit.redis.call(commands -> commands.set(PresenceKeys.SERVER, "another"));
      long _ = kit.redis.call(commands -> commands.clientKill(KillArgs.Builder.typeNormal()));
      ClaimEnded _ = ended.await(it -> kit.numClients(meetings.get(3)) == 1, PresenceTestKit.SOON);
    }
  }

  @Test
  void aTickThatFailsIsSoonDueAgain() {
    Node node = kit.api(PresenceTestKit.quick());
    long _ = kit.meeting("room");
    kit.database.run(
        tx -> {
          int _ = tx.sql("alter table rooms rename to away").update();
        });
    assertThatExceptionOfType(SqlFailure.class).isThrownBy(node.presence().reconciler()::tickIfDue);
    assertThat(kit.redis.<Long>call(commands -> commands.pttl(PresenceKeys.TICK_LOCK)))
        .isBetween(1L, Reconciler.RETRY.toMillis());
  }

  /** The claim of the tick could not be ended then. */
  @Test
  void aTickThatFailsWithoutRedisIsDueWhenRedisIsBack() {
    Node node = kit.api(PresenceTestKit.quick());
    FutureTask<Optional<Boolean>> tick = new FutureTask<>(node.presence().reconciler()::tickIfDue);
    kit.database.run(
        tx -> {
          int _ = tx.sql("lock table rooms in access exclusive mode").update();
          var _ = Thread.ofVirtual().start(tick);
          Await.until("the tick has begun", () -> kit.exists(PresenceKeys.TICK_LOCK));
          kit.redisServer.stop();
        });
    assertThatExceptionOfType(ExecutionException.class).isThrownBy(tick::get);
    kit.redisServer.restart();
    Await.until("Redis is back", () -> kit.redis.available() && node.redis().available());
    // As where only the connection broke.
    String _ =
        kit.redis.call(
            commands -> commands.set(PresenceKeys.TICK_LOCK, "1", SetArgs.Builder.ex(600)));
    assertThat(node.presence().reconciler().tickIfDue()).contains(false);
  }

  @Tag("nightly")
  @Test
  void withBothStoresUnreachableItIs503() throws Exception {
    Database nowhere =
        Database.open(
            DatabaseUrl.parse("postgresql://user:none@127.0.0.1:1/none"),
            1,
            "nowhere",
            Migrations.SCHEMAS);
    try (nowhere) {
      Node node = kit.api(PresenceTestKit.quick(), nowhere);
      kit.redisServer.stop();
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(503);
      assertThat(kit.webhook(node, "{\"test\":\"test\"}")).isEqualTo(200);
    }
    kit.redisServer.restart();
  }

  @Test
  void aNodeThatStartsBesideARunningOneLeavesTheMapAlone() {
    Node one = kit.node(PresenceTestKit.quick());
    long meeting = polledMeeting(one);
    Node two = kit.node(PresenceTestKit.quick());
    one.presence().close();
    try (SignalObservation<ClaimEnded> ended = two.presence().signals().ended().observe()) {
      kit.webhooksTo(two);
      String _ = kit.join("room", "Ada");
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void whatANodeThatLostRedisPutsIntoTheInboxAnotherCommitsAtOnce() throws Exception {
    Node worker = kit.node(PresenceTestKit.quick());
    long meeting = polledMeeting(worker);
    Node alone = kit.api(PresenceTestKit.quick());
    alone.redis().close();
    try (PostgresListener postgresListener =
            new PostgresListener(
                kit.databaseUrl,
                Map.of(PresenceFeature.INBOX_CHANNEL, worker.presence().inboxReceiver()));
        SignalObservation<Boolean> connected = postgresListener.connected().observe();
        SignalObservation<Long> drained = worker.presence().signals().drained().observe()) {
      if (!postgresListener.listening()) {
        boolean _ = connected.await(PresenceTestKit.SOON);
      }
      // The poll after the connect may find the first; an event reports the second.
      for (String session : List.of("s1", "s2")) {
        int status =
            kit.webhook(
                alone, PresenceTestKit.joined("e-" + session, "room", session, Instant.now()));
        assertThat(status).isEqualTo(200);
        long _ = drained.await(it -> it == meeting, Duration.ofSeconds(5));
      }
    }
    assertThat(kit.numClients(meeting)).isEqualTo(2);
  }
}
