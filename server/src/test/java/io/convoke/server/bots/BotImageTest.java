package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.docker.DockerConfig;
import io.convoke.server.launch.docker.DockerLauncher;
import io.convoke.server.launch.docker.JavaImage;
import io.convoke.server.launch.docker.NeedsDocker;
import io.convoke.server.launch.docker.TestDockerEngine;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reference bot and the fake of Vexa's, as images on a real engine. */
@NeedsDocker
@Tag("nightly")
class BotImageTest {
  private static final Duration LONG = Duration.ofSeconds(45);
  @TempDir private static Path folder;
  private static TestDockerEngine engine;

  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private BotsTestServer testServer = testServer(JavaImage.REFERENCE, Optional.empty());
  private TestSignal.SignalObservation<Meeting> moves = testServer.moves();

  @BeforeAll
  static void startEngine() throws IOException {
    engine = TestDockerEngine.start();
    JavaImage.giveTo(engine, folder);
  }

  @AfterAll
  static void stopEngine() throws IOException {
    engine.close();
  }

  @BeforeEach
  void openTheRoom() {
    assertThat(sim.world().create(RoomRequest.named("standup"))).isPresent();
    var _ = sim.world().join("standup", Visitor.named("Ada"));
  }

  @AfterEach
  void close() {
    testServer.close();
    sim.close();
  }

  @Test
  void theReferenceBotRunsFromStartToExitInAContainer() {
    long meeting = start();
    await(MeetingStatus.STARTING);
    await(MeetingStatus.ACTIVE);
    Instant joined = testServer.row(meeting).lastSign();
    Await.until("a heartbeat", () -> testServer.row(meeting).lastSign().isAfter(joined));
    testServer.user(1, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    await(MeetingStatus.STOPPING);
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isZero();
    assertThat(testServer.row(meeting).handle().orElseThrow()).startsWith("docker:");
  }

  @Test
  void itsExitAfterAKillIsReportedAtOnce() throws IOException {
    long meeting = start();
    await(MeetingStatus.ACTIVE);
    engine.killContainer(testServer.row(meeting).containerName());
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("crashed");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isEqualTo(137);
  }

  @Test
  void withTooLittleMemoryItsExitReportsIt() {
    open(JavaImage.REFERENCE, Optional.of(20L << 20));
    long meeting = start();
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("out_of_memory");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("us");
  }

  @Test
  void aRestartOfTheEngineEndsTheBotAndItsRow() throws IOException {
    long meeting = start();
    await(MeetingStatus.ACTIVE);
    engine.kill();
    engine.restart();
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .as("without live restore the engine ends what it finds, politely")
        .isEqualTo("terminated");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("us");
  }

  @Test
  void theStandInForVexasBotIsLaunchedAndUnderstoodInAContainer() {
    open(JavaImage.VEXA, Optional.empty());
    long meeting =
        testServer
            .user(
                1,
                "POST",
                "/bots/start",
                Map.of("platform", "google_meet", "native_meeting_id", "abc-defg-hij"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    await(MeetingStatus.STARTING);
    await(MeetingStatus.ACTIVE);
    testServer.user(1, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
  }

  private void open(String image, Optional<Long> memory) {
    testServer.close();
    testServer = testServer(image, memory);
    moves = testServer.moves();
  }

  private static BotsTestServer testServer(String image, Optional<Long> memory) {
    BotsTestServer testServer =
        BotsTestServer.open(
            new DockerLauncher(
                new DockerConfig(
                    engine.host(),
                    "test",
                    new BotImage(image, BotImage.ImagePullPolicy.NEVER, memory, Optional.empty()),
                    Optional.of("host")),
                InstantSource.system()),
            terms ->
                quick(terms)
                    .speaking(
                        image.equals(JavaImage.VEXA) ? BotProtocol.VEXA : BotProtocol.CONVOKE,
                        Map.of()));
    long _ = testServer.user(Optional.of(1));
    testServer.bots.start();
    return testServer;
  }

  private static BotsConfig quick(BotsConfig terms) {
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

  private long start() {
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("standup"));
    body.put("meeting_url", sim.roomUrl("standup").toString());
    return testServer.user(1, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
  }

  private void await(MeetingStatus status) {
    Meeting _ = moves.await(moved -> moved.status() == status, LONG);
  }
}
