package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.Listener;
import io.convoke.server.Migrations;
import io.convoke.server.presence.PresenceKit.Node;
import io.convoke.server.presence.PresenceSignals.Ended;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Law 1 for presence: Redis may vanish, and nothing that was accepted is lost. */
class OutagesTest {
  private final PresenceKit kit = new PresenceKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private long polledMeeting(Node node) {
    try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      Ended _ = PresenceKit.polled(ended, meeting);
      return meeting;
    }
  }

  @Test
  void withRedisStoppedWebhooksAre200AndPresenceGoesOnAndAllIsRightAfterwards() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    long meeting = polledMeeting(node);
    try (Observation<Ended> alone = node.presence().signals().alone().observe();
        Observation<Long> drained = node.presence().signals().drained().observe()) {
      kit.redisServer.stop();
      assertThat(kit.webhook(node, PresenceKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      long _ = drained.await(it -> it == meeting, PresenceKit.SOON);
      assertThat(kit.numClients(meeting)).isEqualTo(1);

      // Somebody whom no webhook announces is found by the database's own due list.
      String _ = kit.join("room", "Ada");
      kit.database.run(
          tx -> {
            int _ = tx.sql("update presence set due_at = now()").update();
          });
      Ended _ =
          alone.await(
              it -> it.meeting() == meeting && kit.numClients(meeting) == 2, PresenceKit.SOON);
      assertThat(kit.participants(node, meeting).path("poll_state").asString())
          .isEqualTo("needs_poll");
    }
    try (Observation<Long> polled = node.presence().signals().polled().observe()) {
      kit.redisServer.restart();
      kit.webhooksTo(node);
      String _ = kit.join("room", "Bob");
      // A node that has not heard of Redis' return yet takes his webhook by the inbox, and polls
      // without Redis.
      long _ = polled.await(it -> adaAndBobAreThere(), PresenceKit.SOON);
    }
    assertThat(kit.number("select count(*)::int from webhook_inbox")).isZero();
  }

  private boolean adaAndBobAreThere() {
    return kit.number(
            """
            select count(*)::int from participant_sessions
            where left_at is null and user_name in ('Ada', 'Bob')
            """)
        == 2;
  }

  @Test
  void afterAFlushTheMapIsRebuiltAndEveryLiveMeetingIsDueOnce() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    long meeting = polledMeeting(node);
    try (Observation<String> recovered = node.presence().signals().recovered().observe();
        Observation<Ended> ended = node.presence().signals().ended().observe()) {
      kit.redisServer.flush();
      String _ = kit.join("room", "Ada");
      // The first event after the flush finds no map; it waits for it and is not lost.
      assertThat(kit.webhook(node, PresenceKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      String _ = recovered.await(PresenceKit.SOON);
      Ended _ = ended.await(it -> it.poll() && kit.numClients(meeting) == 2, PresenceKit.SOON);
    }
    assertThat(kit.number("select count(*)::int from dead_letters")).isZero();
  }

  @Test
  void manyForgottenMeetingsAreComparedByOneCallInsteadOfPolledOneByOne() {
    int many = RedisBudget.BURST + 10;
    List<Long> meetings =
        IntStream.range(0, many).mapToObj(room -> kit.meeting("room-" + room)).toList();
    String _ = kit.join("room-7", "Ada");
    Node node = kit.api(PresenceKit.quick());
    try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
      node.presence().start();
      Ended _ = PresenceKit.polled(ended, meetings.get(7));
    }
    assertThat(kit.numClients(meetings.get(7))).isEqualTo(1);
    assertThat(kit.polls("room-3")).isZero();
    assertThat(
            kit.number(
                "select count(*)::int from presence where source = 'bulk' and as_of is not null"))
        .isEqualTo(many);
  }

  @Test
  void withBothStoresAwayItIs503() throws Exception {
    Database nowhere =
        Database.open(
            DatabaseUrl.parse("postgresql://nobody:none@127.0.0.1:1/none"),
            1,
            "nowhere",
            Migrations.SCHEMAS);
    try (nowhere) {
      Node node = kit.api(PresenceKit.quick(), nowhere);
      kit.redisServer.stop();
      assertThat(kit.webhook(node, PresenceKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(503);
      assertThat(kit.webhook(node, "{\"test\":\"test\"}")).isEqualTo(200);
    }
    kit.redisServer.restart();
  }

  @Test
  void aNodeThatStartsBesideARunningOneLeavesTheMapAlone() {
    Node one = kit.node(PresenceKit.quick());
    long meeting = polledMeeting(one);
    Node two = kit.node(PresenceKit.quick());
    one.presence().close();
    try (Observation<Ended> ended = two.presence().signals().ended().observe()) {
      kit.webhooksTo(two);
      String _ = kit.join("room", "Ada");
      Ended _ = PresenceKit.polled(ended, meeting);
    }
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void whatANodeThatLostRedisPutsIntoTheInboxAnotherCommitsAtOnce() throws Exception {
    Node worker = kit.node(PresenceKit.quick());
    long meeting = polledMeeting(worker);
    Node alone = kit.api(PresenceKit.quick());
    alone.redis().close();
    try (Listener listener =
            new Listener(
                kit.databaseUrl,
                Map.of(Presence.INBOX_CHANNEL, worker.presence().inboxReceiver()));
        Observation<Boolean> connected = listener.connected().observe();
        Observation<Long> drained = worker.presence().signals().drained().observe()) {
      if (!listener.listening()) {
        boolean _ = connected.await(PresenceKit.SOON);
      }
      // The first may be found by the look after the connect; the second is told of.
      for (String session : List.of("s1", "s2")) {
        int status =
            kit.webhook(alone, PresenceKit.joined("e-" + session, "room", session, Instant.now()));
        assertThat(status).isEqualTo(200);
        long _ = drained.await(it -> it == meeting, Duration.ofSeconds(5));
      }
    }
    assertThat(kit.numClients(meeting)).isEqualTo(2);
  }
}
