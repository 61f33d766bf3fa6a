package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.fakes.vexa.FakeVexaBot;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.process.BotCommandLine;
import io.convoke.server.launch.process.ProcessLauncher;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fake of Vexa's image, in all its releases, from launch to exit. It logs every input that the
 * image would not understand.
 */
class VexaJourneyTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;
  private final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  private BotsTestServer testServer;
  private ProcessLauncher launcher;
  private TestSignal.SignalObservation<Meeting> moves;
  private long user;

  @BeforeEach
  void open() throws IOException {
    speak("0.9");
    launcher = new ProcessLauncher(folder, command());
    testServer = testServer(BotProtocol.VEXA);
    moves = testServer.moves();
    user = testServer.user(Optional.of(1));
    testServer.bots.start();
  }

  @AfterEach
  void close() throws IOException {
    launcher.stopAll(Duration.ofSeconds(3));
    testServer.close();
    redis.close();
    assertThat(log()).doesNotContain("COMPLAINT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.5", "0.6", "0.9", "0.10"})
  void itIsAdmittedReceivesTheLeaveAndExits(String spoken) throws IOException {
    speak(spoken);
    long meeting = start("abc-defg-hij");
    await(MeetingStatus.STARTING);
    await(MeetingStatus.ACTIVE);
    testServer
        .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "language", "fr"))
        .expect(202);
    Await.until("the settings", () -> log().contains("reconfigured to fr, transcribe"));
    stop(meeting);
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(log()).contains("transcribed at ws://whisper:9090").doesNotContain("cvb_");
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.6", "0.9", "0.10"})
  void itWaitsToBeLetInAndIsRejected(String spoken) throws IOException {
    speak(spoken);
    long meeting = start("abc-rejected");
    await(MeetingStatus.STARTING);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo("admission_rejected_by_admin");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
    assertThat(testServer.outcome(meeting).path("stage").asString()).isEqualTo("starting");
  }

  @Test
  void itIsStoppedInTheLobby() {
    long meeting = start("abc-lobby");
    await(MeetingStatus.STARTING);
    Await.until("the lobby", () -> log().lines().filter(this::answered).count() == 2);
    stop(meeting);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isZero();
  }

  @Tag("nightly")
  @Test
  void itCannotOpenTheMeeting() {
    long meeting = start("abc-broken");
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo("join_meeting_error");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("platform");
  }

  @Test
  void theMeetingEnds() throws IOException {
    speak("0.6");
    long meeting = start("abc-ending");
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
  }

  @Tag("nightly")
  @Test
  void itsLauncherReportsAnExitWithoutACallback() throws IOException {
    speak("0.6");
    long meeting = start("abc-crashing");
    await(MeetingStatus.ACTIVE);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("crashed");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isEqualTo(139);
  }

  @Tag("nightly")
  @Test
  void withoutRedisTheStopIsSentAsASignal() {
    long meeting = start("abc-defg-hij");
    await(MeetingStatus.ACTIVE);
    redis.stop();
    stop(meeting);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    Await.until("its goodbye", () -> log().contains("ends with 143, signal_sigterm"));
  }

  @Tag("nightly")
  @Test
  void anInstallationWithoutConfigurationAcceptsItToo() throws Exception {
    testServer.close();
    testServer = testServer(BotProtocol.CONVOKE);
    moves = testServer.moves();
    user = testServer.user(Optional.of(1));
    testServer.bots.start();
    long meeting = start("abc-defg-hij");
    await(MeetingStatus.ACTIVE);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(testServer.bots.sweeper().sweep().ended()).as("no heartbeat is expected").isZero();
    stop(meeting);
    await(MeetingStatus.COMPLETED);
  }

  private BotsTestServer testServer(BotProtocol protocol) {
    return BotsTestServer.node(
        MigratedDatabase.url(),
        redis.url(),
        SecretBox.of(SecretBox.newKey()),
        BotsTestServer.freePort(),
        launcher,
        terms -> terms.speaking(protocol, Map.of("WHISPER_LIVE_URL", "ws://whisper:9090")));
  }

  private void speak(String release) throws IOException {
    Path _ = Files.writeString(folder.resolve("release"), release);
  }

  private BotCommandLine command() {
    return BotCommandLine.shell(
        "exec "
            + ProcessHandle.current().info().command().orElseThrow()
            + " -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
            + System.getProperty("java.class.path")
            + "' "
            + FakeVexaBot.class.getName()
            + " $(cat "
            + folder.resolve("release")
            + ")");
  }

  private long start(String nativeId) {
    return testServer
        .user(
            user,
            "POST",
            "/bots/start",
            Map.of("platform", "google_meet", "native_meeting_id", nativeId))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private void stop(long meeting) {
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
  }

  private void await(MeetingStatus status) {
    Meeting _ = moves.await(moved -> moved.status() == status, LONG);
  }

  private boolean answered(String line) {
    return line.startsWith("/status_change answered 200");
  }

  private String log() {
    StringBuilder text = new StringBuilder();
    try (var files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        text.append(Files.readString(file));
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return text.toString();
  }
}
