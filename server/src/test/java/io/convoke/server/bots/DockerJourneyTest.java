package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.docker.DockerConfig;
import io.convoke.server.launch.docker.DockerLauncher;
import io.convoke.server.launch.docker.NeedsDocker;
import io.convoke.server.launch.docker.TestDockerEngine;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Bots from start to end in containers of a real engine, on the host's network. */
@NeedsDocker
@Tag("nightly")
class DockerJourneyTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static TestDockerEngine engine;

  private BotsTestServer testServer;
  private TestSignal.SignalObservation<Meeting> moves;
  private long user;

  @BeforeAll
  static void startEngine() throws IOException {
    engine = TestDockerEngine.start();
  }

  @AfterAll
  static void stopEngine() throws IOException {
    engine.close();
  }

  @BeforeEach
  void open() {
    testServer =
        BotsTestServer.open(
            new DockerLauncher(
                new DockerConfig(
                    engine.host(),
                    "test",
                    new BotImage(
                        TestDockerEngine.IMAGE,
                        BotImage.ImagePullPolicy.NEVER,
                        Optional.of(32L << 20),
                        Optional.empty()),
                    Optional.of("host")),
                InstantSource.system()));
    moves = testServer.moves();
    user = testServer.user(Optional.of(1));
    testServer.bots.start();
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aBotJoinsSendsHeartbeatsReceivesTheStopAndLeaves() {
    long meeting = start("standup");
    await(MeetingStatus.STARTING);
    await(MeetingStatus.ACTIVE);
    Await.until("the launch to be noted", () -> testServer.row(meeting).handle().isPresent());
    assertThat(testServer.row(meeting).handle().orElseThrow()).startsWith("docker:");
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
  }

  @Test
  void outOfMemoryIsReportedWithTheLastOutput() {
    long meeting = start("greedy");
    await(MeetingStatus.ACTIVE);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("out_of_memory");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("us");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isEqualTo(137);
    Await.until("the last words to be settled", () -> !lastWords(meeting).isEmpty());
    assertThat(lastWords(meeting)).contains("in greedy, with ***");
  }

  @Test
  void theExitOfAKilledContainerIsReportedAtOnce() throws IOException {
    long meeting = start("standup");
    await(MeetingStatus.ACTIVE);
    engine.killContainer(testServer.row(meeting).containerName());
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("crashed");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isEqualTo(137);
  }

  private List<String> lastWords(long meeting) {
    return testServer
        .get(user, "/meetings/" + meeting + "/timeline")
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .filter(event -> event.path("type").asString().equals("bot.log"))
        .flatMap(event -> event.path("data").path("lines").valueStream())
        .map(JsonNode::asString)
        .toList();
  }

  private long start(String room) {
    return testServer.start(user, room).expect(201).json().path("id").asLong();
  }

  private void await(MeetingStatus status) {
    Meeting _ = moves.await(moved -> moved.status() == status, LONG);
  }
}
