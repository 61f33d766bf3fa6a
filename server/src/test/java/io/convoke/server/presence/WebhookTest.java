package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.presence.PresenceKit.Node;
import io.convoke.server.presence.PresenceSignals.Ended;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The webhook endpoint: what it answers, and what it never does. */
class WebhookTest {
  private final PresenceKit kit = new PresenceKit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void aBadSignatureIs401AndWritesNothing() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    long meeting = kit.meeting("room");
    byte[] body =
        PresenceKit.joined("e1", "room", "s", Instant.now()).getBytes(StandardCharsets.UTF_8);
    String timestamp = Long.toString(Instant.now().getEpochSecond());

    HttpResponse<String> answer = kit.post(node, body, timestamp, "bm90IGEgc2lnbmF0dXJl");
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    assertThat(kit.post(node, body, "", "").statusCode()).isEqualTo(401);
    assertThat(kit.exists(Keys.evidence(meeting))).isFalse();
    assertThat(kit.number("select count(*)::int from dead_letters")).isZero();
  }

  @Test
  void everythingAuthenticIs200() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    assertThat(kit.webhook(node, "{\"test\":\"test\"}")).isEqualTo(200);
    assertThat(kit.webhook(node, "{\"type\":\"recording.started\",\"id\":\"r\"}")).isEqualTo(200);
    assertThat(kit.webhook(node, "nonsense")).isEqualTo(200);
    assertThat(kit.webhook(node, "{\"type\":\"participant.danced\",\"id\":\"d\"}")).isEqualTo(200);
    assertThat(kit.webhook(node, PresenceKit.joined("e1", "nowhere", "s", Instant.now())))
        .isEqualTo(200);
  }

  @Test
  void whatNobodyCanUseBecomesADeadLetter() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    try (Observation<String> kept = node.presence().signals().routed().observe()) {
      assertThat(kit.webhook(node, "nonsense")).isEqualTo(200);
      String _ = kept.await("not JSON"::equals, PresenceKit.SOON);
      assertThat(kit.webhook(node, PresenceKit.joined("e1", "nowhere", "s", Instant.now())))
          .isEqualTo(200);
      String _ = kept.await("unknown room"::equals, PresenceKit.SOON);
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
    Node node = kit.node(PresenceKit.quick());
    long meeting = kit.meeting("room");
    try (Observation<Long> committed = node.presence().signals().committed().observe()) {
      // As if the event had overtaken the news of the meeting.
      long _ = kit.redis.call(commands -> commands.hdel(Keys.ROOMS, "room"));
      assertThat(kit.webhook(node, PresenceKit.joined("e1", "room", "s", Instant.now())))
          .isEqualTo(200);
      long _ = committed.await(it -> it == meeting, PresenceKit.SOON);
    }
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void theHandlerNeedsNoDatabase() throws Exception {
    Node worker = kit.node(PresenceKit.quick());
    long meeting = kit.meeting("room");
    try (Observation<Ended> ended = worker.presence().signals().ended().observe()) {
      Ended _ = PresenceKit.polled(ended, meeting);
    }
    worker.presence().close();
    // A database that nobody listens at: any access would fail.
    Database nowhere =
        Database.open(
            DatabaseUrl.parse("postgresql://nobody:none@127.0.0.1:1/none"),
            1,
            "nowhere",
            Migrations.SCHEMAS);
    try (nowhere) {
      Node api = kit.api(PresenceKit.quick(), nowhere);
      for (int i = 0; i < 20; i++) {
        assertThat(kit.webhook(api, PresenceKit.joined("e" + i, "room", "s" + i, Instant.now())))
            .isEqualTo(200);
      }
      assertThat(kit.webhook(api, PresenceKit.joined("x", "nowhere", "s", Instant.now())))
          .isEqualTo(200);
      assertThat(kit.webhook(api, "nonsense")).isEqualTo(200);
    }
    assertThat(kit.redis.<Long>call(commands -> commands.llen(Keys.evidence(meeting))))
        .isEqualTo(20);
  }

  @Test
  void aBurstIsOneEvidenceEachAndAtMostTwoPolls() throws Exception {
    Node node = kit.node(PresenceTerms.defaults());
    long meeting = kit.meeting("room");
    try (Observation<Ended> ended = node.presence().signals().ended().observe();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      Ended _ = PresenceKit.polled(ended, meeting);
      long before = kit.polls("room");
      List<Callable<Integer>> posts = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        String body = PresenceKit.joined("e" + i, "room", "s" + i, Instant.now());
        posts.add(() -> kit.webhook(node, body));
      }
      for (Future<Integer> answer : clients.invokeAll(posts)) {
        assertThat(answer.get()).isEqualTo(200);
      }
      Ended _ = PresenceKit.polled(ended, meeting);
      assertThat(kit.numClients(meeting)).isEqualTo(300);
      assertThat(kit.polls("room")).isLessThanOrEqualTo(before + 2);
    }
  }
}
