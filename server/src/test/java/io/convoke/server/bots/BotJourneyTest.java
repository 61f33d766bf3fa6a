package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.process.BotCommandLine;
import io.convoke.server.launch.process.ProcessLauncher;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole life of a bot (bots-5), with the reference bot in a separate process. */
class BotJourneyTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  private final String database = MigratedDatabase.url();
  private final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  private final int port = BotsTestServer.freePort();

  @AfterEach
  void close() throws IOException {
    launcher().stopAll(Duration.ofSeconds(3));
    sim.close();
    redis.close();
  }

  @Test
  void aBotJoinsTranscribesTakesNewSettingsAndLeaves() throws Exception {
    String ada = room();
    try (BotsTestServer testServer = testServer()) {
      TestSignal.SignalObservation<Meeting> moves = testServer.moves();
      long user = testServer.user(Optional.of(1));
      long meeting = start(testServer, user);
      await(moves, MeetingStatus.STARTING);
      await(moves, MeetingStatus.ACTIVE);
      assertThat(testServer.row(meeting).handle().orElse("")).startsWith("process:");
      assertThat(names()).containsExactlyInAnyOrder("Ada", "Scribe");
      assertThat(botsOfOtherKeys(testServer, secrets)).isZero();
      assertThat(botsOfOtherKeys(testServer, SecretBox.of(SecretBox.newKey()))).isEqualTo(1);

      testServer
          .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "language", "fr"))
          .expect(202);
      awaitAcknowledged(testServer, user, meeting);
      assertThat(sim.world().say("standup", ada, "Bonjour tout le monde")).isTrue();
      awaitSegment(testServer, user, meeting, "Bonjour tout le monde");

      testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
      await(moves, MeetingStatus.STOPPING);
      await(moves, MeetingStatus.COMPLETED);
      assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
      assertThat(names()).containsExactly("Ada");
      assertThat(log()).doesNotContain("cvb_").doesNotContain("ERROR");
    }
  }

  private static long botsOfOtherKeys(BotsTestServer testServer, SecretBox newest) {
    return testServer.database.read(tx -> BotTokens.liveOfOtherKeys(tx, newest));
  }

  @Tag("nightly")
  @Test
  void aBotOutlivesItsServerAndIsFoundAgain() throws Exception {
    String _ = room();
    long user;
    long meeting;
    String handle;
    try (BotsTestServer testServer = testServer()) {
      TestSignal.SignalObservation<Meeting> moves = testServer.moves();
      user = testServer.user(Optional.of(1));
      meeting = start(testServer, user);
      await(moves, MeetingStatus.ACTIVE);
      handle = testServer.row(meeting).handle().orElseThrow();
    }
    assertThat(launcher().probe(handle)).isInstanceOf(Launcher.Probe.Alive.class);
    try (BotsTestServer next = testServer()) {
      TestSignal.SignalObservation<Meeting> moves = next.moves();
      assertThat(next.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
      assertThat(next.row(meeting).handle()).contains(handle);
      next.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
      await(moves, MeetingStatus.COMPLETED);
    }
  }

  @Tag("nightly")
  @Test
  void aStopArrivesWithoutRedisWithinAHeartbeat() throws Exception {
    String _ = room();
    try (BotsTestServer testServer = testServer()) {
      TestSignal.SignalObservation<Meeting> moves = testServer.moves();
      long user = testServer.user(Optional.of(1));
      long meeting = start(testServer, user);
      await(moves, MeetingStatus.ACTIVE);
      redis.stop();
      testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
      await(moves, MeetingStatus.COMPLETED);
    }
  }

  @Tag("nightly")
  @Test
  void aBotWithoutRedisReceivesAStopAtOnce() throws Exception {
    String _ = room();
    try (BotsTestServer testServer = testServer(BotJourneyTest::withoutRedis)) {
      TestSignal.SignalObservation<Meeting> moves = testServer.moves();
      long user = testServer.user(Optional.of(1));
      long meeting = start(testServer, user);
      await(moves, MeetingStatus.ACTIVE);
      Await.until("the bot to wait for commands", () -> testServer.bots.waiting() == 1);
      redis.stop();
      testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
      await(moves, MeetingStatus.STOPPING);
      await(moves, MeetingStatus.COMPLETED);
      assertThat(stopping(testServer, meeting)).isLessThan(Duration.ofSeconds(1));
    }
  }

  /** From the stop request to the bot's report that it leaves, by the database's clock. */
  private static Duration stopping(BotsTestServer testServer, long meeting) {
    return testServer.database.read(
        tx ->
            tx.sql(
                    """
                    select (extract(epoch from e.at - m.stop_requested_at) * 1000)::bigint as ms
                    from meetings m join events e on e.subject = 'meeting:' || m.id
                    where m.id = ? and e.data ->> 'to' = 'stopping'
                    """)
                .with(meeting)
                .one(resultRow -> Duration.ofMillis(resultRow.longAt("ms"))));
  }

  @Tag("nightly")
  @Test
  void theExitOfAKilledBotIsReportedAtOnce() throws Exception {
    String _ = room();
    try (BotsTestServer testServer = testServer()) {
      TestSignal.SignalObservation<Meeting> moves = testServer.moves();
      long meeting = start(testServer, testServer.user(Optional.of(1)));
      await(moves, MeetingStatus.ACTIVE);
      assertThat(launcher().kill(testServer.row(meeting).handle().orElseThrow()))
          .isInstanceOf(Launcher.Probe.Gone.class);
      await(moves, MeetingStatus.FAILED);
      assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("crashed");
      assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isEqualTo(137);
    }
  }

  private String room() {
    assertThat(sim.world().create(RoomRequest.named("standup"))).isPresent();
    JoinResult result = sim.world().join("standup", Visitor.named("Ada"));
    return ((JoinResult.JoinedMeeting) result).session().sessionId();
  }

  private BotsTestServer testServer() throws IOException {
    return testServer(BotJourneyTest::quickHeartbeat);
  }

  private BotsTestServer testServer(UnaryOperator<BotsConfig> change) throws IOException {
    BotsTestServer testServer =
        BotsTestServer.node(database, redis.url(), secrets, port, launcher(), change);
    testServer.bots.start();
    return testServer;
  }

  private ProcessLauncher launcher() throws IOException {
    return new ProcessLauncher(folder, BotCommandLine.reference());
  }

  private static BotsConfig withoutRedis(BotsConfig terms) {
    return BotsTestServer.config(terms.callbackUrl(), Optional.empty());
  }

  private static BotsConfig quickHeartbeat(BotsConfig terms) {
    return new BotsConfig(
        Duration.ofSeconds(1),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        terms.reservedTimeout(),
        terms.startingTimeout(),
        terms.heartbeatTimeout(),
        terms.stoppingTimeout(),
        terms.sweepInterval(),
        terms.killGrace(),
        terms.callbackUrl(),
        terms.redisUrl());
  }

  private long start(BotsTestServer testServer, long user) {
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("standup"));
    body.put("meeting_url", sim.roomUrl("standup").toString());
    body.put("bot_name", "Scribe");
    return testServer
        .user(user, "POST", "/bots/start", body)
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static void await(TestSignal.SignalObservation<Meeting> moves, MeetingStatus status) {
    Meeting _ = moves.await(meeting -> meeting.status() == status, LONG);
  }

  private static void awaitAcknowledged(BotsTestServer testServer, long user, long meeting) {
    awaitThat(
        () ->
            testServer
                .get(user, "/bots/status?meeting_id=" + meeting)
                .json()
                .path("pending_commands")
                .isEmpty());
  }

  private static void awaitSegment(
      BotsTestServer testServer, long user, long meeting, String text) {
    awaitThat(
        () ->
            testServer
                .get(user, "/transcripts/" + meeting)
                .json()
                .path("segments")
                .findValuesAsString("text")
                .contains(text));
  }

  private static void awaitThat(java.util.function.BooleanSupplier condition) {
    Await.until(LONG, condition);
  }

  private List<String> names() {
    return sim.world().observe("standup", seen -> {}).orElseThrow().present().stream()
        .map(roomSession -> roomSession.visitor().userName().orElse(""))
        .toList();
  }

  private String log() throws IOException {
    StringBuilder text = new StringBuilder();
    try (var files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        text.append(Files.readString(file));
      }
    }
    return text.toString();
  }
}
