package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.Migrations;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The webhook endpoint: its responses, and no access to Postgres. */
class WebhookTest {
  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void aBadSignatureIs401AndWritesNothing() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = kit.meeting("room");
    byte[] body =
        PresenceTestKit.joined("e1", "room", "s", Instant.now()).getBytes(StandardCharsets.UTF_8);
    String timestamp = Long.toString(Instant.now().getEpochSecond());

    HttpResponse<String> answer = kit.post(node, body, timestamp, "bm90IGEgc2lnbmF0dXJl");
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    assertThat(kit.post(node, body, "", "").statusCode()).isEqualTo(401);
    assertThat(kit.exists(PresenceKeys.evidence(meeting))).isFalse();
    assertThat(kit.number("select count(*)::int from dead_letters")).isZero();
  }

  @Test
  void everythingAuthenticIs200() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    assertThat(kit.webhook(node, "{\"test\":\"test\"}")).isEqualTo(200);
    assertThat(kit.webhook(node, "{\"type\":\"recording.started\",\"id\":\"r\"}")).isEqualTo(200);
    assertThat(kit.webhook(node, "nonsense")).isEqualTo(200);
    assertThat(kit.webhook(node, "{\"type\":\"participant.danced\",\"id\":\"d\"}")).isEqualTo(200);
    assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "nowhere", "s", Instant.now())))
        .isEqualTo(200);
  }

  /** Daily stops a webhook after three answers that are not 200. */
  @Test
  void anAuthenticWebhookOfAMegabyteIs200() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    String head = "{\"type\":\"participant.danced\",\"id\":\"d\",\"text\":\"";
    String body = head + "x".repeat(1024 * 1024 - head.length() - 2) + "\"}";
    assertThat(body).hasSize(1024 * 1024);
    assertThat(kit.webhook(node, body)).isEqualTo(200);
  }

  @Test
  void anUnusableWebhookBecomesADeadLetter() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    try (SignalObservation<String> kept = node.presence().signals().routed().observe()) {
      assertThat(kit.webhook(node, "nonsense")).isEqualTo(200);
      String _ = kept.await("not JSON"::equals, PresenceTestKit.SOON);
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "nowhere", "s", Instant.now())))
          .isEqualTo(200);
      String _ = kept.await("unknown room"::equals, PresenceTestKit.SOON);
    }
    assertThat(
            kit.number(
                """
                select count(*)::int from dead_letters
                where (reason = 'not JSON' and body = 'nonsense'::bytea)
                   or (reason = 'unknown room' and position('nowhere'::bytea in body) > 0)
                """))
        .isEqualTo(2);
  }

  @Test
  void anEventOfAMeetingThatTheMapDoesNotKnowYetFindsIt() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = kit.meeting("room");
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      // As if the event had arrived before the meeting's own.
      long _ = kit.redis.call(commands -> commands.hdel(PresenceKeys.ROOMS, "room"));
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "room", "s", Instant.now())))
          .isEqualTo(200);
      long _ = committed.await(it -> it == meeting, PresenceTestKit.SOON);
    }
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void theHandlerNeedsNoDatabase() throws Exception {
    Node worker = kit.node(PresenceTestKit.quick());
    long meeting = kit.meeting("room");
    try (SignalObservation<ClaimEnded> ended = worker.presence().signals().ended().observe()) {
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
    worker.presence().close();
    // An unreachable database: any access would fail.
    Database nowhere =
        Database.open(
            DatabaseUrl.parse("postgresql://user:none@127.0.0.1:1/none"),
            1,
            "nowhere",
            Migrations.SCHEMAS);
    try (nowhere) {
      Node api = kit.api(PresenceTestKit.quick(), nowhere);
      for (int i = 0; i < 20; i++) {
        assertThat(
                kit.webhook(api, PresenceTestKit.joined("e" + i, "room", "s" + i, Instant.now())))
            .isEqualTo(200);
      }
      assertThat(kit.webhook(api, PresenceTestKit.joined("x", "nowhere", "s", Instant.now())))
          .isEqualTo(200);
      assertThat(kit.webhook(api, "nonsense")).isEqualTo(200);
    }
    long evidence = kit.redis.call(commands -> commands.llen(PresenceKeys.evidence(meeting)));
    assertThat(evidence).isEqualTo(20);
  }

  @Test
  void aBurstIsOneEvidenceEachAndAtMostTwoPolls() throws Exception {
    Node node = kit.node(PresenceConfig.of(ServerConfig.of(Map.of())));
    long meeting = kit.meeting("room");
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      long before = kit.polls("room");
      List<Callable<Integer>> posts = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        String body = PresenceTestKit.joined("e" + i, "room", "s" + i, Instant.now());
        posts.add(() -> kit.webhook(node, body));
      }
      for (Future<Integer> answer : clients.invokeAll(posts)) {
        assertThat(answer.get()).isEqualTo(200);
      }
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      assertThat(kit.numClients(meeting)).isEqualTo(300);
      assertThat(kit.polls("room")).isLessThanOrEqualTo(before + 2);
    }
  }
}
