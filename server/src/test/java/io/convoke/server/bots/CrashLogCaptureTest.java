package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher.BotExitDetails;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The output of a failed bot on its meeting's timeline, and an unreachable launcher. */
class CrashLogCaptureTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private BotsTestServer testServer;
  private TestSignal.SignalObservation<LaunchSpec> launched;
  private TestSignal.SignalObservation<Meeting> moves;

  @BeforeEach
  void open() {
    launcher.templateValues =
        List.of(
            "UTC",
            "key-of-the-template",
            "two lines\nc2VjcmV0IGtleQ==\n",
            "https://bot:hush@hooks.example/hook-of-the-template");
    testServer =
        BotsTestServer.open(
            launcher,
            terms ->
                terms.with(
                    new VexaConfig(
                        false, Optional.empty(), Optional.of("key-of-the-operator"), false)));
    launched = launcher.launched.observe();
    moves = testServer.moves();
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void outOfMemoryIsLoggedOnceAndWithoutSecrets() {
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    long meeting =
        testServer
            .user(
                user,
                "POST",
                "/bots/start",
                Map.of(
                    "platform", "daily",
                    "native_meeting_id", "standup",
                    "passcode", "open-sesame"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    var bot = BotsTestServer.config(spec);
    testServer.started(bot).expect(200);
    testServer.callback(bot, "joined", Map.of()).expect(200);
    launcher.remains =
        BotExitDetails.of(
            Optional.of(BotExitDetails.OUT_OF_MEMORY),
            String.join(
                "\n",
                "token is " + bot.token() + ".",
                "redis://:hush@redis:6379 and open-sesame",
                "key-of-\0the-operator",
                "key-of-the-template, 10:00 UTC",
                "'c2VjcmV0IGtleQ==' is no key",
                "https://bot:hush@hooks.example/hook-of-the-template answers 500",
                "x".repeat(296) + " open-sesame",
                "y" + "\ud83d\ude00".repeat(400)));

    launcher.exit(spec.containerName(), 137);
    launcher.exit(spec.containerName(), 137);
    Meeting end = moves.await(moved -> moved.status() == MeetingStatus.FAILED, BotsTestServer.SOON);

    assertThat(end.id()).isEqualTo(meeting);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("out_of_memory");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("us");
    Await.until("the last words to be settled", () -> !words(user, meeting).isEmpty());
    List<JsonNode> words = words(user, meeting);
    assertThat(words).hasSize(1);
    JsonNode data = words.getFirst().path("data");
    assertThat(data.path("exit_code").asInt()).isEqualTo(137);
    assertThat(data.path("reason").asString()).isEqualTo("out_of_memory");
    assertThat(data.path("lines").valueStream().map(JsonNode::asString))
        .containsExactly(
            "token is ***.",
            "redis://***@redis:6379 and ***",
            "***",
            "***, 10:00 UTC",
            "'***' is no key",
            "*** answers 500",
            "x".repeat(296) + " ***",
            "y" + "\ud83d\ude00".repeat(299));
  }

  @Test
  void thePasswordOfEveryFormOfARedisUrlIsKnown() {
    for (String url :
        List.of(
            "redis://:hush@redis:6379/1",
            "redis://default:hush@redis",
            "redis://hush@redis",
            "redis://:hush@bot_redis:6379",
            "redis-sentinel://:hush@h1:26379,h2:26379/0#main")) {
      assertThat(CrashLogCapture.passwords(url)).as(url).containsExactly("hush");
    }
    assertThat(CrashLogCapture.passwords("rediss://user:a%40b+c@redis"))
        .containsExactly("a%40b+c", "a@b+c");
    assertThat(CrashLogCapture.passwords("redis-sentinel://h1:26379,h2:26379")).isEmpty();
  }

  @Test
  void anUnreachableLauncherFailsNoBotAndIsRetried() {
    launcher.away = true;
    TestSignal.SignalObservation<Long> handled = testServer.bots.launching().handled().observe();
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    long meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    assertThat(handled.await(BotsTestServer.SOON)).isEqualTo(meeting);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
    assertThat(testServer.bots.sweeper().sweep().ended()).isZero();

    launcher.away = false;
    int _ =
        testServer.database.read(
            tx -> tx.sql("update bot_launches set lease_until = now() - interval '1 s'").update());
    Await.until(
        "the launch",
        () -> {
          testServer.bots.launching().pickUp(Duration.ZERO);
          return !launcher.launches.isEmpty();
        });
    assertThat(launched.await(BotsTestServer.SOON).meetingId()).isEqualTo(meeting);
  }

  private List<JsonNode> words(long user, long meeting) {
    return testServer
        .get(user, "/meetings/" + meeting + "/timeline")
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .filter(event -> event.path("type").asString().equals("bot.log"))
        .toList();
  }
}
