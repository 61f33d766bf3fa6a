package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Pods record and show a room of a real Janus, and one of them is killed. */
@Tag("nightly")
@Tag("heavy")
@Timeout(600)
class EgressTest {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir private Path folder;
  private final OrphanReaper reaper = new OrphanReaper();
  private JanusMachine machine;
  private SpokenRoom speakers;
  private String token;

  @BeforeAll
  @Timeout(600)
  static void require() {
    JanusMachine.require();
  }

  @BeforeEach
  void open() throws Exception {
    machine =
        new JanusMachine(
            folder, Map.of("CONVOKE_DISPATCH_LEASE", "9s", "CONVOKE_DISPATCH_DEAD_AFTER", "8s"));
    speakers = new SpokenRoom(machine.server().server().url());
    JsonNode room = machine.olivia().post("/rooms", "{\"name\": \"stage\"}").body();
    token = room.path("egress_token").asString();
    for (String name : List.of("Ada", "Ben")) {
      speakers.join(room.path("links").path("guest").asString(), name, true);
    }
  }

  @AfterEach
  void close() {
    if (speakers != null) {
      speakers.close();
    }
    reaper.close();
    if (machine != null) {
      machine.close();
    }
  }

  private JavaProcess pod(String name) {
    Map<String, String> environment = new HashMap<>();
    environment.put("CONVOKE_REDIS_URL", machine.server().redisUrl());
    environment.put("CONVOKE_SECRET_KEY", JourneyTestServer.SECRET_KEY);
    environment.put("CONVOKE_DISPATCH_LEASE", "9s");
    environment.put("CONVOKE_DISPATCH_DEAD_AFTER", "8s");
    environment.put("CONVOKE_BLOB_STORE", folder.resolve("blobs").toString());
    environment.put("CONVOKE_JANUS_ADMIN_URL", machine.janus().adminUrl().toString());
    environment.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    environment.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    return JavaProcess.start(
        new JavaProgramSpec(
            name,
            "io.convoke.agent.ReferencePod",
            List.of("--region", "eu-west-1", "--slots", "4"),
            environment,
            List.of("-XX:TieredStopAtLevel=1"),
            folder.resolve(name + ".log")),
        reaper);
  }

  private String submit(String kind, String more) throws Exception {
    ApiUser.Reply made =
        machine
            .olivia()
            .post(
                "/tasks",
                """
                {"request_id": "%4$s", "type": "egress", "action": "start", "channel": "stage",
                 "payload": {"kind": "%1$s", "access_token": "%2$s"%3$s}}
                """
                    .formatted(kind, token, more, UUID.randomUUID()));
    assertThat(made.status()).as(made.body().toString()).isEqualTo(202);
    return made.body().path("id").asString();
  }

  /** Keys of a task's blobs that end so. */
  private List<String> stored(String task, String end) {
    try (FolderBlobStore blobs = new FolderBlobStore(folder.resolve("blobs"))) {
      return blobs.list("egress/" + task + "/", Optional.empty(), 1000).blobs().stream()
          .map(blob -> blob.key())
          .filter(key -> key.endsWith(end))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(String key) {
    return folder.resolve("blobs/blobs").resolve(key);
  }

  private JsonNode document(String task, String name) throws IOException {
    return JSON.readTree(Files.readAllBytes(file("egress/" + task + "/" + name)));
  }

  private String state(String task) {
    try {
      return machine.olivia().get("/tasks/" + task).body().path("state").asString("");
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void stop(String task) throws Exception {
    assertThat(machine.olivia().post("/tasks/" + task + "/stop", "{}").status()).isLessThan(300);
    JourneyTestServer.await(
        "the end of " + task, SOON, () -> List.of("SUCCESS", "FAILED").contains(state(task)));
    assertThat(state(task))
        .as(machine.olivia().get("/tasks/" + task).body().toString())
        .isEqualTo("SUCCESS");
  }

  private static String probed(Path file, String entries) throws Exception {
    Process process =
        new ProcessBuilder(
                "ffprobe",
                "-v",
                "error",
                "-show_entries",
                entries,
                "-of",
                "default=noprint_wrappers=1:nokey=1",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said.strip();
  }

  /** The encoders of this test's pods, which give them their environment. */
  private long encoders() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().command().orElse("").endsWith("ffmpeg"))
        .filter(
            process ->
                process.info().arguments().stream().flatMap(Stream::of).anyMatch("in.sdp"::equals))
        .filter(
            process -> {
              try {
                return Files.readString(
                        Path.of("/proc/" + process.pid() + "/environ"), StandardCharsets.ISO_8859_1)
                    .contains("CONVOKE_BLOB_STORE=" + folder);
              } catch (IOException gone) {
                return false;
              }
            })
        .count();
  }

  @Test
  void aRecordingWhosePodIsKilledGoesOnInAnotherOneAndTellsTheGap() throws Exception {
    String task = submit("record", "");
    JavaProcess first = pod("first");
    JourneyTestServer.await("segments", SOON, () -> stored(task, ".ts").size() >= 2);
    speakers.say("Ada", "We sell the boat on Monday.");
    first.kill();
    JourneyTestServer.await("the end of its encoder", SOON, () -> encoders() == 0);
    JavaProcess second = pod("second");
    JourneyTestServer.await(
        "segments of the second",
        SOON,
        () -> stored(task, ".ts").stream().filter(key -> key.contains("/002-")).count() >= 2);
    speakers.say("Ben", "It never rains in that desert.");
    stop(task);

    JsonNode result = document(task, "result.json");
    JsonNode progress = document(task, "progress.json");
    JsonNode files =
        machine.olivia().get("/egress/" + task + "/files?limit=200").body().path("items");
    assertThat(files.valueStream().map(file -> file.path("name").asString()))
        .contains("recording.mp4", "speaker-01.ogg", "result.json");
    System.out.printf(
        Locale.ROOT,
        "egress of two with pictures: %.1f s recorded, %d kB, %.2f s of CPU by ffmpeg for %d"
            + " segments of the second pod, whose JVM used %.1f s, gaps %s%n",
        result.path("seconds").asDouble(),
        progress.path("bytes").asLong() / 1000,
        result.path("cpu_seconds").asDouble(),
        stored(task, ".ts").stream().filter(key -> key.contains("/002-")).count(),
        second.cpu().toMillis() / 1000.0,
        result.path("gaps"));
    assertThat(result.path("attempts").asInt()).isEqualTo(2);
    assertThat(result.path("gaps").size()).isEqualTo(1);
    assertThat(result.path("gaps").get(0).path("reason").asString())
        .isEqualTo("the pod of attempt 1 was lost");

    Path mp4 = file("egress/" + task + "/recording.mp4");
    assertThat(probed(mp4, "stream=codec_name").lines()).containsExactlyInAnyOrder("h264", "aac");
    assertThat(Double.parseDouble(probed(mp4, "format=duration")))
        .isCloseTo(result.path("seconds").asDouble(), org.assertj.core.data.Offset.offset(3.0));
    assertThat(result.path("files").valueStream().map(it -> it.path("speaker").asString("")))
        .contains("Ada", "Ben");
    for (JsonNode one : result.path("files")) {
      assertThat(Double.parseDouble(probed(file(one.path("key").asString()), "format=duration")))
          .isGreaterThan(8)
          .isCloseTo(one.path("seconds").asDouble(), org.assertj.core.data.Offset.offset(1.0));
    }
    assertThat(second.stop()).isZero();
    assertThat(encoders()).isZero();
    assertThat(machine.janus().forwarders("stage", JanusMachine.secret("stage"))).isZero();
  }

  /** It was killed before it had joined the segments, and a stopped task does not start again. */
  @Test
  void aStoppedRecordingWhosePodIsKilledIsJoinedByAnotherTask() throws Exception {
    String task = submit("record", "");
    JavaProcess first = pod("first");
    JourneyTestServer.await("segments", SOON, () -> stored(task, ".ts").size() >= 2);
    assertThat(machine.olivia().post("/tasks/" + task + "/stop", "{}").status()).isLessThan(300);
    first.kill();
    JavaProcess second = pod("second");
    JourneyTestServer.await("its result", SOON, () -> !stored(task, "result.json").isEmpty());
    assertThat(state(task)).isEqualTo("SUCCESS");
    assertThat(
            machine
                .olivia()
                .get("/tasks")
                .body()
                .path("items")
                .valueStream()
                .filter(it -> it.path("action").asString().equals("finish"))
                .map(it -> it.path("payload").path("of").asString()))
        .containsExactly(task);
    Path mp4 = file("egress/" + task + "/recording.mp4");
    assertThat(probed(mp4, "stream=codec_name").lines()).containsExactlyInAnyOrder("h264", "aac");
    assertThat(Double.parseDouble(probed(mp4, "format=duration"))).isGreaterThan(6);
    assertThat(second.stop()).isZero();
  }

  @Test
  void aPlaylistGrowsPicturesComeAndAStreamIsPushed() throws Exception {
    int port = io.convoke.simulator.process.InstalledPrograms.freePort();
    Path pushed = folder.resolve("pushed.flv");
    String address = "rtmp://127.0.0.1:" + port + "/live/stage";
    Process receiver =
        new ProcessBuilder(
                "ffmpeg",
                "-loglevel",
                "error",
                "-nostdin",
                "-y",
                "-listen",
                "1",
                "-i",
                address,
                "-c",
                "copy",
                pushed.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("receiver.log").toFile())
            .start();
    try {
      String hls = submit("hls", "");
      String pictures = submit("snapshots", ", \"interval_in_ms\": 2000");
      String push = submit("push", ", \"url\": \"" + address + "\"");
      JavaProcess pod = pod("pod");
      JourneyTestServer.await("a playlist", SOON, () -> !stored(hls, "index.m3u8").isEmpty());
      String before = Files.readString(file("egress/" + hls + "/index.m3u8"));
      int segments = stored(hls, ".ts").size();
      JourneyTestServer.await("a longer one", SOON, () -> stored(hls, ".ts").size() > segments + 1);
      JourneyTestServer.await("pictures", SOON, () -> stored(pictures, ".png").size() >= 3);
      JourneyTestServer.await("what is pushed", SOON, () -> size(pushed) > 50_000);
      assertThat(before).doesNotContain("ENDLIST");
      stop(hls);
      stop(pictures);
      stop(push);
      assertThat(Files.readString(file("egress/" + hls + "/index.m3u8")))
          .startsWith(before)
          .endsWith("#EXT-X-ENDLIST\n");
      assertThat(probed(file("egress/" + hls + "/index.m3u8"), "stream=codec_name").lines())
          .contains("h264", "aac");
      assertThat(stored(pictures, "/latest.png")).hasSize(1);
      assertThat(probed(file(stored(pictures, ".png").getFirst()), "stream=width,height"))
          .isEqualTo("1280\n720");
      assertThat(probed(pushed, "stream=codec_name").lines()).contains("h264", "aac");
      assertThat(pod.stop()).isZero();
      assertThat(encoders()).isZero();
    } finally {
      var _ = receiver.destroyForcibly();
    }
  }

  @Test
  void aStreamIsPushedBySrt() throws Exception {
    int port = io.convoke.simulator.process.InstalledPrograms.freePort();
    Path pushed = folder.resolve("pushed.ts");
    Process receiver =
        new ProcessBuilder(
                "ffmpeg",
                "-loglevel",
                "error",
                "-nostdin",
                "-y",
                "-f",
                "mpegts",
                "-i",
                "srt://127.0.0.1:" + port + "?mode=listener",
                "-c",
                "copy",
                pushed.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("receiver.log").toFile())
            .start();
    try {
      String push = submit("push", ", \"url\": \"srt://127.0.0.1:" + port + "\"");
      JavaProcess pod = pod("pod");
      JourneyTestServer.await("what is pushed", SOON, () -> size(pushed) > 50_000);
      stop(push);
      assertThat(probed(pushed, "stream=codec_name").lines()).contains("h264", "aac");
      assertThat(pod.stop()).isZero();
      assertThat(encoders()).isZero();
    } finally {
      var _ = receiver.destroyForcibly();
    }
  }

  @Test
  void whoSpeaksIsShown() throws Exception {
    String task = submit("snapshots", ", \"interval_in_ms\": 1000, \"layout\": \"speaker\"");
    JavaProcess pod = pod("pod");
    JourneyTestServer.await("pictures", SOON, () -> !stored(task, ".png").isEmpty());
    // Ada is red and Ben is green.
    for (String name : List.of("Ben", "Ada", "Ben")) {
      int before = stored(task, ".png").size();
      speakers.say(name, "This is a long sentence, so that everybody sees who it is that speaks.");
      speakers.say(name, "This is a long sentence, so that everybody sees who it is that speaks.");
      JourneyTestServer.await(
          "a picture of " + name,
          SOON,
          () ->
              stored(task, ".png").stream()
                  .skip(before)
                  .anyMatch(key -> name.equals(shown(file(key)))));
    }
    stop(task);
    assertThat(pod.stop()).isZero();
  }

  /** Who has the whole picture. */
  private static String shown(Path picture) {
    try {
      BufferedImage image = ImageIO.read(picture.toFile());
      Color left = new Color(image.getRGB(image.getWidth() / 8, image.getHeight() / 8));
      Color right = new Color(image.getRGB(image.getWidth() * 7 / 8, image.getHeight() * 7 / 8));
      return left.getRed() > 150 && right.getRed() > 150
          ? "Ada"
          : left.getGreen() > 150 && right.getGreen() > 150 ? "Ben" : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
