package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.fakes.vexa.FakeVexaBot;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.Endpoint;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.process.BotCommandLine;
import io.convoke.server.launch.process.ProcessLauncher;
import io.convoke.server.media.MediaTool;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.server.platform.daily.DailyRecordingSource;
import io.convoke.server.presence.ApiBudget;
import io.convoke.server.presence.RedisRateLimiter;
import io.convoke.server.recordings.RecordingConfig;
import io.convoke.server.recordings.RecordingsFeature;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

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
    Path _ = Files.writeString(folder.resolve("release"), "0.9");
    launcher = new ProcessLauncher(folder, command());
    testServer = testServer(false, BotProtocol.VEXA);
    moves = testServer.moves();
    user = testServer.user(Optional.of(1));
    testServer.bots.start();
  }

  @AfterEach
  void close() throws IOException {
    launcher.stopAll(Duration.ofMillis(100));
    testServer.close();
    redis.close();
    assertThat(log()).doesNotContain("COMPLAINT");
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.5", "0.9", "0.12"})
  void itIsAdmittedReceivesTheLeaveAndExits(String release) throws IOException {
    speak(release);
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
    assertThat(log())
        .contains("transcribed at ws://whisper:9090", "told to leave", "answered 200")
        .doesNotContain("cvb_", "signalled", "answered 4");
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.6", "0.10", "0.10.7"})
  void soDoOtherReleases(String release) throws IOException {
    itIsAdmittedReceivesTheLeaveAndExits(release);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.4", "0.10"})
  void whatIsSaidToOtherReleasesIsInTheTranscript(String release) throws IOException {
    whatIsSaidIsInTheTranscriptWithTheNames(release);
  }

  @ParameterizedTest
  @ValueSource(strings = "0.12")
  void whatIsSaidIsInTheTranscriptWithTheNames(String release) throws IOException {
    speak(release);
    long meeting = start("abc-speaking");
    Await.until(
        "the words",
        () -> lines(meeting).size() == 2 && lines(meeting).getLast().contains("Grace"));
    assertThat(lines(meeting))
        .as("each once, without drafts and what was taken back")
        .containsExactly("Ada: Good morning, everyone.", "Grace: Shall we begin?");
    assertThat(testServer.status(meeting))
        .as("words stand for the admission that 0.4 does not report")
        .isEqualTo(MeetingStatus.ACTIVE);
    List<Double> starts = transcript(meeting).map(line -> line.path("start").asDouble()).toList();
    assertThat(starts.getLast() - starts.getFirst()).isEqualTo(2.0, within(0.002));
    stop(meeting);
    await(MeetingStatus.COMPLETED);
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"0.9, 1", "0.10, 1", "0.10.7, 3", "0.12, 2"})
  void whatItRecordsComesIn(String release, int parts) throws IOException {
    speak(release);
    long meeting = start("abc-speaking");
    Await.until("the words", () -> lines(meeting).size() == 2);
    stop(meeting);
    await(MeetingStatus.COMPLETED);
    JsonNode recording =
        testServer
            .get(user, "/meetings/" + meeting + "/recordings")
            .expect(200)
            .json()
            .path("items")
            .path(0);
    assertThat(recording.path("status").asString()).isEqualTo("ready");
    assertThat(recording.path("kind").asString()).isEqualTo("bot");
    try (BlobStore store = blobs()) {
      assertThat(store.list("recordings/", Optional.empty(), 10).blobs()).hasSize(parts);
    }
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.5", "0.6", "0.9", "0.10.7"})
  void soItIsWithOtherReleases(String release) throws IOException {
    whatIsSaidIsInTheTranscriptWithTheNames(release);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.6", "0.9", "0.10", "0.12"})
  void itWaitsToBeLetInAndIsRejected(String release) throws IOException {
    speak(release);
    long meeting = start("abc-rejected");
    await(MeetingStatus.STARTING);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo(
            release.equals("0.12") ? "awaiting_admission_rejected" : "admission_rejected_by_admin");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
    assertThat(testServer.outcome(meeting).path("stage").asString()).isEqualTo("starting");
  }

  @Tag("nightly")
  @Test
  void itIsStoppedInTheLobby() throws IOException {
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
  void anOverdueBotIsToldToLeaveBecauseNoSignalReachesIt() throws Exception {
    long meeting = start("abc-lobby");
    await(MeetingStatus.STARTING);
    Await.until("the lobby", () -> log().lines().filter(this::answered).count() == 2);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(30));
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo("waiting_room_timeout");
    assertThat(log()).contains("ends with 0, self_initiated_leave").doesNotContain("signalled");
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"0.9, join_meeting_error", "0.12, join_failure"})
  void itCannotOpenTheMeeting(String release, String reason) throws IOException {
    speak(release);
    long meeting = start("abc-broken");
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo(reason);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("platform");
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "0.9, abc-mistaken, admission_false_positive",
    "0.10.7, abc-never, admission_never_admitted"
  })
  void anExitWithZeroIsNoCompletionWhereItWasNotAdmitted(String release, String room, String reason)
      throws IOException {
    speak(release);
    long meeting = start(room);
    await(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo(reason);
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isZero();
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.6", "0.12"})
  void theMeetingEnds(String release) throws IOException {
    speak(release);
    long meeting = start("abc-ending");
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"0.10", "0.10.7"})
  void theEndOfALongMeetingIsHeard(String release) throws IOException {
    speak(release);
    long meeting = start("abc-long");
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString())
        .isEqualTo("left_alone_timeout");
    assertThat(log()).doesNotContain("answered 4");
  }

  @Tag("nightly")
  @Test
  void itStaysThroughSilencesAndLongMeetings() throws IOException {
    speak("0.12");
    long meeting = start("abc-quiet");
    await(MeetingStatus.ACTIVE);
    Await.until("its patience", () -> log().contains("without sound for"));
    assertThat(log()).contains("stays for 86400000 ms, without sound for 600000 ms");
    stop(meeting);
    await(MeetingStatus.COMPLETED);
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
  void withoutRedisTheStopIsSentToLaterReleasesAsASignal() throws IOException {
    speak("0.12");
    long meeting = start("abc-defg-hij");
    await(MeetingStatus.ACTIVE);
    redis.stop();
    stop(meeting);
    await(MeetingStatus.COMPLETED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    Await.until("its goodbye", () -> log().contains("signalled"));
  }

  @Tag("nightly")
  @Test
  void anInstallationWithoutConfigurationAcceptsItToo() throws Exception {
    reopen(false, BotProtocol.CONVOKE);
    long meeting = start("abc-defg-hij");
    await(MeetingStatus.ACTIVE);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(testServer.bots.sweeper().sweep().ended()).as("no heartbeat is expected").isZero();
    stop(meeting);
    await(MeetingStatus.COMPLETED);
  }

  /** Another release; the configuration of 0.12 is another server's. */
  private void speak(String release) throws IOException {
    Path _ = Files.writeString(folder.resolve("release"), release);
    if (release.equals("0.12")) {
      reopen(true, BotProtocol.VEXA);
    }
  }

  private void reopen(boolean closedSchema, BotProtocol protocol) {
    testServer.close();
    testServer = testServer(closedSchema, protocol);
    moves = testServer.moves();
    user = testServer.user(Optional.of(1));
    testServer.bots.start();
  }

  private BotsTestServer testServer(boolean closedSchema, BotProtocol protocol) {
    VexaConfig vexa =
        new VexaConfig(closedSchema, Optional.of("http://speech:8000"), Optional.of("a-key"), true);
    return BotsTestServer.with(
        redis.url(),
        launcher,
        terms ->
            terms.speaking(protocol, Map.of("WHISPER_LIVE_URL", "ws://whisper:9090")).with(vexa),
        this::recordings);
  }

  /** Recordings without an engine that would process them. */
  private List<Endpoint> recordings(BotsTestServer server) {
    PostgresProvider _ =
        server.keep(
            PostgresProvider.open(server.databaseUrl(), "durable", LongPollConfig.defaults()));
    RedisRateLimiter budget = new RedisRateLimiter(server.redis, ApiBudget.DAILY);
    DailyConfig nowhere =
        new DailyConfig(URI.create("http://127.0.0.1:9"), "key", DailyConfig.DEFAULT_TIMEOUT);
    return server
        .keep(
            new RecordingsFeature(
                server.redis,
                server.database,
                server.journal,
                server.keep(new LeaseRenewer(server.redis, "node", server.meters)),
                new DailyRecordingSource(nowhere, budget, budget.slow()),
                new RecordingsFeature.RecordingDependencies(
                    blobs(),
                    new MediaTool("ffmpeg"),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()),
                (_, _) -> {},
                RecordingConfig.of(ServerConfig.of(Map.of())),
                "inbox",
                "node",
                server.meters,
                InstantSource.system()))
        .endpoints();
  }

  private BlobStore blobs() {
    try {
      return new FolderBlobStore(folder.resolve("blobs"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Stream<JsonNode> transcript(long meeting) {
    return testServer
        .get(user, "/transcripts/" + meeting)
        .expect(200)
        .json()
        .path("segments")
        .valueStream();
  }

  private List<String> lines(long meeting) {
    return transcript(meeting)
        .map(line -> line.path("speaker").asString("") + ": " + line.path("text").asString())
        .toList();
  }

  private BotCommandLine command() {
    return BotCommandLine.shell(
        "release=$(cat "
            + folder.resolve("release")
            + "); "
            + FakeVexaBot.ENTRYPOINT
            + "exec "
            + ProcessHandle.current().info().command().orElseThrow()
            + " -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
            + System.getProperty("java.class.path")
            + "' "
            + FakeVexaBot.class.getName()
            + " $release");
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
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
