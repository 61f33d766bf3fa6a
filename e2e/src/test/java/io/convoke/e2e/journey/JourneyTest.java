package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * One real meeting from end to end, as the README describes it, and a server that is killed
 * meanwhile.
 */
@Tag("heavy")
class JourneyTest {
  private static final Map<String, String> QUICK =
      Map.of(
          "CONVOKE_PRESENCE_RECONCILE_INTERVAL", "4s",
          "CONVOKE_BOTS_HEARTBEAT_INTERVAL", "1s");

  /** A server on the stores under test. */
  JourneyTestServer open(Path folder, Map<String, String> settings) {
    return JourneyTestServer.open(folder, settings);
  }

  @Tag("nightly")
  @Test
  void aBotGoesThroughItsWholeLifecycle(@TempDir Path folder) throws Exception {
    try (JourneyTestServer journeyTestServer = open(folder, QUICK)) {
      ApiUser user = journeyTestServer.user("olivia@example.org");
      journeyTestServer.meet("stand-up", "Ada");

      var started =
          user.post(
              "/bots/start",
              """
              {"platform": "daily", "native_meeting_id": "stand-up", "bot_name": "Notes",
               "meeting_url": "%s"}
              """
                  .formatted(journeyTestServer.simulator().roomUrl("stand-up")));
      assertThat(started.status()).isEqualTo(201);
      assertThat(started.body().path("status").asString()).isEqualTo("reserved");
      long meeting = started.body().path("id").asLong();

      user.await(0, became(meeting, "starting"));
      user.await(0, became(meeting, "active"));
      user.await(0, person("participant.joined", meeting, "Ada"));
      user.await(0, person("participant.joined", meeting, "Notes"));

      var participants = user.get("/meetings/" + meeting + "/participants?active=true").body();
      assertThat(participants.path("num_clients").asInt()).isEqualTo(2);
      assertThat(participants.path("items").valueStream().map(p -> p.path("user_name").asString()))
          .containsExactlyInAnyOrder("Ada", "Notes");

      assertThat(
              user.put(
                      "/bots/config",
                      "{\"meeting_id\": %d, \"bot_name\": \"Scribe\"}".formatted(meeting))
                  .status())
          .isEqualTo(202);
      user.await(0, event -> event.path("type").asString().equals("bot.command_acknowledged"));

      ProcessHandle bot = JourneyTestServer.botOf(journeyTestServer).orElseThrow();
      assertThat(user.post("/bots/stop", "{\"meeting_id\": " + meeting + "}").status())
          .isEqualTo(202);
      user.await(0, became(meeting, "stopping"));
      user.await(0, became(meeting, "completed"));
      user.await(0, person("participant.left", meeting, "Notes"));

      JsonNode ended = user.get("/meetings/" + meeting).body();
      assertThat(ended.path("end_time").isString()).isTrue();
      assertThat(ended.path("data").path("outcome").path("attribution").asString())
          .isEqualTo("user");
      JourneyTestServer.awaitEnd(bot, Duration.ofSeconds(20));
      assertThat(journeyTestServer.log())
          .doesNotContain(
              "cvk_", "cvb_", JourneyTestServer.ADMIN, JourneyTestServer.WEBHOOK_SECRET);
    }
  }

  @Tag("nightly")
  @Test
  void aMeetingContinuesWhenTheServerIsKilled(@TempDir Path folder) throws Exception {
    try (JourneyTestServer journeyTestServer = open(folder, QUICK)) {
      ApiUser user = journeyTestServer.user("olivia@example.org");
      journeyTestServer.meet("review", "Ada");
      long meeting =
          user.post(
                  "/bots/start",
                  """
                  {"platform": "daily", "native_meeting_id": "review", "meeting_url": "%s"}
                  """
                      .formatted(journeyTestServer.simulator().roomUrl("review")))
              .body()
              .path("id")
              .asLong();
      user.await(0, became(meeting, "active"));
      String session =
          user.get("/bots/status?meeting_id=" + meeting).body().path("session_uid").asString();
      ProcessHandle bot = JourneyTestServer.botOf(journeyTestServer).orElseThrow();
      long before = user.get("/events?limit=200").body().path("next_after").asLong();

      journeyTestServer.server().kill();
      journeyTestServer.meet("review", "Grace");
      journeyTestServer.server().restart();

      user.await(before, person("participant.joined", meeting, "Grace"));
      assertThat(bot.isAlive()).isTrue();
      JsonNode status = user.get("/bots/status?meeting_id=" + meeting).body();
      assertThat(status.path("status").asString()).isEqualTo("active");
      assertThat(status.path("session_uid").asString()).isEqualTo(session);
      assertThat(status.path("attempt").asInt()).isEqualTo(1);

      assertThat(user.post("/bots/stop", "{\"meeting_id\": " + meeting + "}").status())
          .isEqualTo(202);
      user.await(before, became(meeting, "completed"));
      JourneyTestServer.awaitEnd(bot, Duration.ofSeconds(20));
    }
  }

  @Tag("nightly")
  @Test
  void everyWrongRequestGetsItsProblemAndWritesNothing(@TempDir Path folder) throws Exception {
    try (JourneyTestServer journeyTestServer = open(folder, QUICK)) {
      ApiUser user = journeyTestServer.user("olivia@example.org");
      ApiUser wrong =
          new ApiUser(journeyTestServer.server().url(), Map.of("X-API-Key", "cvk_wrong"));
      String start = "{\"platform\": \"daily\", \"native_meeting_id\": \"x\"}";
      byte[] huge =
          ("{\"data\": \"" + "x".repeat(2 << 20) + "\"}")
              .getBytes(java.nio.charset.StandardCharsets.UTF_8);

      problem(wrong.get("/meetings"), 401, "unauthorized");
      problem(journeyTestServer.anonymous().get("/meetings"), 401, "unauthorized");
      problem(user.get("/admin/users"), 403, "scope_missing");
      problem(
          journeyTestServer.anonymous().post("/webhooks/daily", "{\"test\": \"test\"}"),
          401,
          "unauthorized");
      problem(user.post("/bots/start", "{\"platform\": "), 400, "bad_request");
      problem(user.post("/bots/start", huge), 413, "too_large");
      problem(user.get("/meetings/999999"), 404, "not_found");
      problem(user.get("/meetings/abc"), 400, "bad_request");
      problem(user.post("/bots/stop", "{\"meeting_id\": \"one\"}"), 400, "bad_request");
      problem(
          user.post("/bots/start", "{\"platform\": \"skype\", \"native_meeting_id\": \"x\"}"),
          400,
          "bad_request");
      assertThat(user.get("/meetings").body().path("items").isEmpty()).isTrue();

      assertThat(user.post("/bots/start", start).status()).isEqualTo(201);
      var second = user.post("/bots/start", start);
      assertThat(second.status()).isEqualTo(409);
      assertThat(second.contentType()).startsWith("application/problem+json");
      problem(
          user.post("/bots/start", "{\"platform\": \"daily\", \"native_meeting_id\": \"y\"}"),
          429,
          "bot_limit_reached");
      assertThat(user.get("/meetings").body().path("items").size()).isEqualTo(1);
      assertThat(journeyTestServer.log())
          .doesNotContain(
              "cvk_", "cvb_", JourneyTestServer.ADMIN, JourneyTestServer.WEBHOOK_SECRET);
    }
  }

  private static void problem(ApiUser.Reply reply, int status, String code) {
    assertThat(List.of(reply.status(), reply.contentType().replaceAll(";.*", "")))
        .as(reply.body().toString())
        .isEqualTo(List.of(status, "application/problem+json"));
    assertThat(reply.body().path("code").asString()).isEqualTo(code);
    assertThat(reply.body().path("trace_id").asString()).isNotEmpty();
  }

  private static java.util.function.Predicate<JsonNode> became(long meeting, String status) {
    return event ->
        event.path("type").asString().equals("meeting.status_changed")
            && event.path("data").path("meeting_id").asLong() == meeting
            && event.path("data").path("to").asString().equals(status);
  }

  private static java.util.function.Predicate<JsonNode> person(
      String type, long meeting, String name) {
    return event ->
        event.path("type").asString().equals(type)
            && event.path("data").path("meeting_id").asLong() == meeting
            && event.path("data").path("user_name").asString("").equals(name);
  }
}
