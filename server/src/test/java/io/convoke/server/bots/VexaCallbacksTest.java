package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Vexa's callbacks over HTTP, and the lifecycle of a bot that makes no others. */
class VexaCallbacksTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);
  private long user;
  private long meeting;

  @BeforeEach
  void reserve() {
    user = testServer.user(Optional.of(5));
    meeting = start("abc-defg-hij");
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void theCallbacksOfReleasesFrom06On() {
    assertThat(change("joining").path("meeting_status").asString()).isEqualTo("starting");
    assertThat(change("awaiting_admission").path("meeting_status").asString())
        .isEqualTo("starting");
    JsonNode active = change("active");
    assertThat(active.path("meeting_status").asString()).isEqualTo("active");
    assertThat(active.path("status").asString())
        .as("what the image takes for a yes")
        .isEqualTo("processed");
    end("completed", 0, "left_alone_timeout").expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo("left_alone_timeout");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
  }

  @Test
  void theCallbacksOfReleasesUpTo05() {
    vexa("started", Map.of("container_id", "vexa-bot-1")).expect(200);
    assertThat(testServer.status(meeting))
        .as("that image calls started once it was let in")
        .isEqualTo(MeetingStatus.ACTIVE);
    vexa("exited", Map.of("exit_code", 0, "reason", "self_initiated_leave")).expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.COMPLETED);
  }

  @Test
  void theCallbacksOfReleasesFrom12On() {
    lifecycle(Map.of("status", "joining", "timestamp", "2026-11-21T20:00:00.000Z")).expect(200);
    lifecycle(Map.of("status", "awaiting_admission")).expect(200);
    lifecycle(
            Map.of(
                "status",
                "failed",
                "exit_code",
                1,
                "reason",
                "join ended without admission: the host said no",
                "completion_reason",
                "awaiting_admission_rejected",
                "failure_stage",
                "awaiting_admission"))
        .expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .as("the word, not the sentence")
        .isEqualTo("awaiting_admission_rejected");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
    lifecycle(Map.of("status", "active")).expect(410);
    assertThat(
            testServer
                .call(
                    "POST",
                    "/bots/internal/lifecycle",
                    List.of("X-Internal-Secret", "cvb_1_1_nonsense"),
                    Map.of("connection_id", "x", "status", "active"))
                .status())
        .isEqualTo(401);
  }

  @Test
  void aReasonOfAnyLengthIsHeard() {
    lifecycle(
            Map.of(
                "status",
                "failed",
                "exit_code",
                1,
                "reason",
                "Error: locator.click: Timeout 30000ms exceeded.\n".repeat(500),
                "completion_reason",
                "join_failure",
                "failure_stage",
                "joining"))
        .expect(200);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("join_failure");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("platform");
  }

  @Test
  void theEndOfAMeetingWithManySpeakersIsHeard() {
    JsonNode _ = change("active");
    Map<String, Object> edge =
        Map.of(
            "event_type",
            "SPEAKER_START",
            "participant_name",
            "Ada Lovelace",
            "participant_id",
            "spaces/x/devices/ada",
            "relative_timestamp_ms",
            7_200_000);
    vexa(
            "status_change",
            Map.of(
                "status",
                "completed",
                "exit_code",
                0,
                "reason",
                "removed_by_admin",
                "speaker_events",
                Collections.nCopies(10_000, edge)))
        .expect(200);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("removed_by_admin");
  }

  @Test
  void botsOfAnOlderServerHaveTheirTokenInTheQuery() {
    post(
            "/bots/internal/callback/status_change?token=" + testServer.configOf(meeting).token(),
            Map.of("connection_id", testServer.row(meeting).connectionId(), "status", "active"))
        .expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
  }

  @Test
  void eachCallHasItsOwnAddressToo() {
    vexa("joining", Map.of()).expect(200);
    vexa("awaiting_admission", Map.of("container_id", "x")).expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.STARTING);
    vexa("exited", Map.of("exit_code", 1, "reason", "join_meeting_error")).expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("platform");
  }

  @Test
  void aBotThatWasNotAdmittedIsNeverCompleted() {
    JsonNode _ = change("joining");
    JsonNode _ = change("awaiting_admission");
    end("completed", 0, "admission_rejected_by_admin").expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");

    meeting = start("klm-nopq-rst");
    JsonNode _ = change("active");
    end("completed", 0, "admission_timeout").expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);

    meeting = start("rst-uvwx-yza");
    JsonNode _ = change("active");
    end("completed", 0, "admission_false_positive").expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("platform");

    meeting = start("bcd-efgh-ijk");
    JsonNode _ = change("awaiting_admission");
    end("completed", 0, "admission_never_admitted").expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
  }

  @Test
  void aCallThatWasLostIsImpliedByALaterOne() {
    assertThat(change("active").path("meeting_status").asString()).isEqualTo("active");
    assertThat(change("joining").path("meeting_status").asString())
        .as("late, and of no weight")
        .isEqualTo("active");
    assertThat(change("active").path("meeting_status").asString()).isEqualTo("active");
    assertThat(change("needs_human_help").path("meeting_status").asString()).isEqualTo("active");
    assertThat(timeline()).containsExactly("null>reserved", "reserved>starting", "starting>active");
  }

  @Test
  void theExitReportMayBeRepeatedAndLaterCallsAre410() {
    JsonNode _ = change("active");
    String first = end("failed", 1, "post_join_setup_error").expect(200).body();
    assertThat(end("failed", 1, "post_join_setup_error").expect(200).body()).isEqualTo(first);
    vexa("status_change", Map.of("status", "active")).expect(410);
    vexa("joining", Map.of()).expect(410);
    end("completed", 0, "normal_completion").expect(410);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
  }

  @Test
  void aReplacedLaunchIsGone() {
    String url = url("joining", testServer.configOf(meeting).token());
    String connection = testServer.row(meeting).connectionId();
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        "update meetings set attempt = 2, connection_id = gen_random_uuid()::text"
                            + " where id = ?")
                    .with(meeting)
                    .update());
    post(url, Map.of("connection_id", connection)).expect(410);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void theTokenInTheUrlIsAllThatCounts() {
    Map<String, Object> body = Map.of("connection_id", testServer.row(meeting).connectionId());
    post("/bots/internal/callback/joining", body).expect(401);
    post(url("joining", "cvb_1_1_nonsense"), body).expect(401);
    long other = start("klm-nopq-rst");
    post(url("joining", testServer.configOf(other).token()), body).expect(403);
    post(url("joining", "the-admin-key"), body).expect(401);
    assertThat(
            testServer
                .call(
                    "POST",
                    "/callback/joined?token=" + testServer.configOf(meeting).token(),
                    List.of("X-Nothing", "x"),
                    body)
                .status())
        .as("our own callbacks take no token in the URL")
        .isEqualTo(401);
    post(url("status_change", testServer.configOf(meeting).token()), Map.of("status", "joining"))
        .expect(400);
    vexa("status_change", Map.of("status", "dancing")).expect(400);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void theLauncherSpeaksForABotWithoutHeartbeats() throws Exception {
    testServer.bots.start();
    launched();
    JsonNode _ = change("active");
    testServer.upForEver();
    for (int minutes = 0; minutes < 10; minutes += 3) {
      testServer.age(meeting, Duration.ofMinutes(3));
      assertThat(testServer.bots.sweeper().sweep().ended()).isZero();
      assertThat(Duration.between(testServer.row(meeting).lastSign(), now()))
          .as("seen running counts as a sign of life")
          .isLessThan(Duration.ofMinutes(1));
    }
    launcher.away = true;
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(testServer.bots.sweeper().sweep().ended()).as("asked for this one alone").isZero();
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    launcher.away = false;
    launcher.alive.clear();
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("heartbeat_lost");
  }

  @Test
  void aBotOfOursThatFallsSilentIsStillEnded() throws Exception {
    testServer.bots.start();
    launched();
    testServer.started(testServer.configOf(meeting)).expect(200);
    testServer.callback(testServer.configOf(meeting), "joined", Map.of()).expect(200);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);
  }

  @Tag("nightly")
  @Test
  void aFirstCallThatWasLostDoesNotCostTheBotItsMeeting() throws Exception {
    try (BotsTestServer vexas = testServer(BotProtocol.VEXA)) {
      vexas.bots.start();
      user = vexas.user(Optional.of(1));
      meeting = start(vexas, "abc-defg-hij");
      Await.until("the launch", () -> vexas.row(meeting).handle().isPresent());
      var _ = vexas.bots.sweeper().sweep();
      assertThat(vexas.status(meeting)).isEqualTo(MeetingStatus.STARTING);
    }
  }

  @Test
  void anUnsupportedMeetingFailsAtOnceWithAReason() throws Exception {
    try (BotsTestServer vexas = testServer(BotProtocol.VEXA)) {
      TestSignal.SignalObservation<Meeting> moves = vexas.moves();
      vexas.bots.start();
      user = vexas.user(Optional.of(1));
      long daily = vexas.start(user, "standup").expect(201).json().path("id").asLong();
      Meeting _ = moves.await(moved -> moved.status() == MeetingStatus.FAILED, BotsTestServer.SOON);
      assertThat(vexas.outcome(daily).path("reason").asString())
          .isEqualTo("platform_not_supported");
      assertThat(vexas.outcome(daily).path("attribution").asString()).isEqualTo("user");
    }
  }

  @Test
  void itsCommandsComeWhereItListensAndCountAsTakenOnceDelivered() throws Exception {
    JsonNode _ = change("active");
    List<String> heard = new CopyOnWriteArrayList<>();
    try (Redis bot = Redis.open(LocalStores.forTests().redis().url());
        AutoCloseable _ = bot.subscribe("bot_commands:meeting:" + meeting, heard::add)) {
      configure(Map.of("language", "fr"));
      Await.until("the command", () -> !heard.isEmpty());
      assertThat(heard.getFirst()).contains("\"language\":\"fr\"", "\"task\":\"transcribe\"");
      Await.until("the delivery to be noted", () -> pending().isEmpty());
    }
  }

  @Test
  void aCommandWithoutReceiversIsPublishedAgainWithTheNextCall() throws Exception {
    JsonNode _ = change("joining");
    configure(Map.of("language", "fr"));
    List<String> heard = new CopyOnWriteArrayList<>();
    try (Redis bot = Redis.open(LocalStores.forTests().redis().url());
        AutoCloseable _ =
            bot.subscribe("bot_commands:" + testServer.row(meeting).connectionId(), heard::add)) {
      assertThat(pending()).hasSize(1);
      JsonNode _ = change("active");
      Await.until("the command", () -> !heard.isEmpty());
      Await.until("the delivery to be noted", () -> pending().isEmpty());
    }
  }

  @Tag("nightly")
  @Test
  void aLeaveThatNoSubscriberGotIsPublishedAgain() throws Exception {
    testServer.bots.start();
    launched();
    JsonNode _ = change("active");
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    List<String> heard = new CopyOnWriteArrayList<>();
    Await.until("the leave", () -> pending().size() == 1);
    try (Redis bot = Redis.open(LocalStores.forTests().redis().url());
        AutoCloseable _ = bot.subscribe("bot_commands:meeting:" + meeting, heard::add)) {
      Await.until("the leave again", () -> !heard.isEmpty());
      assertThat(heard.getFirst()).contains("\"action\":\"leave\"");
      Await.until("the delivery to be noted", () -> pending().isEmpty());
    }
    assertThat(launcher.stops).as("a signal would not reach it, and a kill follows").isEmpty();
  }

  private BotsTestServer testServer(BotProtocol protocol) {
    return BotsTestServer.open(launcher, terms -> terms.speaking(protocol, Map.of()));
  }

  private void launched() {
    Await.until("the launch", () -> testServer.row(meeting).handle().isPresent());
  }

  private java.time.Instant now() {
    return new BotStore(testServer.database).now();
  }

  private long start(String nativeId) {
    return start(testServer, nativeId);
  }

  private long start(BotsTestServer at, String nativeId) {
    return at.user(
            user,
            "POST",
            "/bots/start",
            Map.of("platform", "google_meet", "native_meeting_id", nativeId))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private void configure(Map<String, Object> change) {
    Map<String, Object> body = new HashMap<>(change);
    body.put("meeting_id", meeting);
    testServer.user(user, "PUT", "/bots/config", body).expect(202);
  }

  private JsonNode pending() {
    return testServer
        .get(user, "/bots/status?meeting_id=" + meeting)
        .json()
        .path("pending_commands");
  }

  private JsonNode change(String status) {
    return vexa("status_change", Map.of("status", status, "timestamp", "2026-11-21T20:00:00.000Z"))
        .expect(200)
        .json();
  }

  private BotsTestServer.Answered end(String status, int exitCode, String reason) {
    return vexa(
        "status_change",
        Map.of(
            "status",
            status,
            "exit_code",
            exitCode,
            "reason",
            reason,
            "completion_reason",
            "stopped",
            "bot_logs",
            List.of("a line"),
            "error_details",
            Map.of("context", "x")));
  }

  private BotsTestServer.Answered vexa(String name, Map<String, Object> facts) {
    Map<String, Object> body = new HashMap<>(facts);
    body.put("connection_id", testServer.row(meeting).connectionId());
    return post(url(name, testServer.configOf(meeting).token()), body);
  }

  private BotsTestServer.Answered lifecycle(Map<String, Object> facts) {
    Map<String, Object> body = new HashMap<>(facts);
    body.put("connection_id", testServer.row(meeting).connectionId());
    return testServer.call(
        "POST",
        "/bots/internal/lifecycle",
        List.of("X-Internal-Secret", testServer.configOf(meeting).token()),
        body);
  }

  private static String url(String name, String token) {
    return "/bots/internal/callback/" + token + "/" + name;
  }

  private BotsTestServer.Answered post(String url, Map<String, Object> body) {
    return testServer.call("POST", url, List.of("X-Nothing", "x"), body);
  }

  private List<String> timeline() {
    return testServer
        .get(user, "/meetings/" + meeting + "/timeline")
        .json()
        .path("items")
        .valueStream()
        .filter(event -> event.path("type").asString().equals("meeting.status_changed"))
        .map(
            event ->
                event.path("data").path("from").asString("null")
                    + ">"
                    + event.path("data").path("to").asString())
        .toList();
  }
}
