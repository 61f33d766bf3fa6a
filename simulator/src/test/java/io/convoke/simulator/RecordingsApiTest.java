package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.ManualClock;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Recordings from start to download, in the API and in webhooks. */
final class RecordingsApiTest {

  private static final String START = "/v1/rooms/standup/recordings/start";
  private static final String STOP = "/v1/rooms/standup/recordings/stop";

  private final ManualClock time = new ManualClock(Instant.parse("2026-03-02T09:00:00Z"));
  private WebhookReceiver webhookReceiver;
  private Simulator sim;
  private SimulatorTestClient simulatorTestClient;
  private String ada;

  @BeforeEach
  void start() throws IOException {
    webhookReceiver = new WebhookReceiver();
    sim =
        Simulator.start(
            SimulatorConfig.defaults()
                .withTime(time)
                .withWebhook(WebhookEndpointRequest.to(webhookReceiver.url(), "c2VjcmV0")));
    simulatorTestClient = new SimulatorTestClient(sim);
    sim.world().create(RoomRequest.named("standup"));
    JoinResult joined = sim.world().join("standup", Visitor.named("Ada"));
    ada = ((JoinResult.JoinedMeeting) joined).session().sessionId();
  }

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
    webhookReceiver.close();
  }

  @Test
  void aRecordingIsStartedStoppedAndBecomesReady() throws TimeoutException {
    assertThat(simulatorTestClient.post(START, "{\"type\":\"cloud\"}").status()).isEqualTo(200);
    JsonNode started = webhookReceiver.await("recording.started").payload();
    assertThat(started.path("action").stringValue()).isEqualTo("start-cloud-recording");
    assertThat(RoomsApiTest.keys(started))
        .containsExactly(
            "recording_id", "action", "layout", "started_by", "instance_id", "start_ts");

    JsonNode running = simulatorTestClient.get("/v1/recordings").body().path("data").path(0);
    assertThat(running.path("status").stringValue()).isEqualTo("in-progress");
    assertThat(running.has("duration")).isFalse();

    time.advance(Duration.ofSeconds(90));
    assertThat(simulatorTestClient.post(STOP, "").status()).isEqualTo(200);
    time.advance(Duration.ofSeconds(8));

    String id = running.path("id").stringValue();
    JsonNode done = simulatorTestClient.get("/v1/recordings/" + id).body();
    assertThat(RoomsApiTest.keys(done))
        .containsExactly(
            "id",
            "room_name",
            "start_ts",
            "status",
            "max_participants",
            "duration",
            "share_token",
            "s3key",
            "mtgSessionId",
            "tracks");
    assertThat(done.path("status").stringValue()).isEqualTo("finished");
    assertThat(done.path("duration").intValue()).isEqualTo(90);
    JsonNode ready = webhookReceiver.await("recording.ready-to-download").payload();
    assertThat(RoomsApiTest.keys(ready))
        .containsExactly(
            "type",
            "recording_id",
            "room_name",
            "start_ts",
            "status",
            "max_participants",
            "duration",
            "s3_key",
            "share_token",
            "tracks");
    assertThat(ready.path("recording_id").stringValue()).isEqualTo(id);
    assertThat(ready.path("s3_key")).isEqualTo(done.path("s3key"));
  }

  @Test
  void theFileCanBeDownloadedWholeOrInParts() {
    String id = finished("cloud");
    JsonNode link =
        simulatorTestClient.get("/v1/recordings/" + id + "/access-link?valid_for_secs=600").body();
    assertThat(link.path("expires").longValue()).isEqualTo(time.instant().getEpochSecond() + 600);
    String url = link.path("download_link").stringValue();

    SimulatorTestClient.Reply whole = simulatorTestClient.get(url);
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.header("Content-Type")).contains("audio/wav");
    byte[] wav = whole.raw().body();
    assertThat(new String(wav, 0, 4, StandardCharsets.US_ASCII)).isEqualTo("RIFF");
    assertThat(wav).hasSize(44 + 32_000 * 30);

    SimulatorTestClient.Reply part =
        simulatorTestClient.send("GET", url, "", "Range", "bytes=100-199");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.header("Content-Range")).contains("bytes 100-199/" + wav.length);
    assertThat(part.raw().body()).isEqualTo(Arrays.copyOfRange(wav, 100, 200));
    SimulatorTestClient.Reply tail = simulatorTestClient.send("GET", url, "", "Range", "bytes=-10");
    assertThat(tail.raw().body()).isEqualTo(Arrays.copyOfRange(wav, wav.length - 10, wav.length));
    assertThat(simulatorTestClient.send("GET", url, "", "Range", "bytes=999999999-").status())
        .isEqualTo(416);

    assertThat(simulatorTestClient.get(url.replace("signature=", "signature=x")).status())
        .isEqualTo(403);
    time.advance(Duration.ofMinutes(10));
    assertThat(simulatorTestClient.get(url).status()).isEqualTo(403);
  }

  @Test
  void rawTracksAreReadFromTheBucket() {
    String id = finished("raw-tracks");
    JsonNode recording = simulatorTestClient.get("/v1/recordings/" + id).body();
    JsonNode track = recording.path("tracks").path(0);
    assertThat(RoomsApiTest.keys(track)).containsExactly("type", "s3Key", "size");
    String start = Long.toString(time.instant().getEpochSecond()).substring(0, 5);
    assertThat(track.path("s3Key").stringValue())
        .matches(
            "convoke-sim/standup/%1$s\\d{8}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-cam-audio-%1$s\\d{8}"
                .formatted(start));

    SimulatorTestClient.Reply file =
        simulatorTestClient.get("/bucket/" + track.path("s3Key").stringValue());
    assertThat(file.status()).isEqualTo(200);
    assertThat(file.raw().body()).hasSize(track.path("size").intValue());
    assertThat(
            simulatorTestClient
                .get("/v1/recordings/" + id + "/access-link")
                .body()
                .path("download_link")
                .stringValue())
        .doesNotStartWith("http");
  }

  @Test
  void severalRecordingsNeedInstanceIds() {
    String one = "11111111-1111-4111-8111-111111111111";
    String two = "22222222-2222-4222-8222-222222222222";
    assertThat(simulatorTestClient.post(START, "{\"instanceId\":\"" + one + "\"}").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post(START, "{\"instanceId\":\"" + one + "\"}").status())
        .isEqualTo(400);
    assertThat(simulatorTestClient.post(START, "{\"instanceId\":\"" + two + "\"}").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post(START, "{\"instanceId\":\"mine\"}").status())
        .isEqualTo(400);
    assertThat(simulatorTestClient.post(STOP, "{\"instanceId\":\"" + two + "\"}").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post(STOP, "{\"instanceId\":\"" + two + "\"}").status())
        .isEqualTo(400);
  }

  @Test
  void anEmptyRoomCannotBeRecorded() {
    sim.world().create(RoomRequest.named("empty"));
    SimulatorTestClient.Reply reply =
        simulatorTestClient.post("/v1/rooms/empty/recordings/start", "");
    assertThat(reply.error()).isEqualTo("not-found");
    assertThat(simulatorTestClient.post(START, "{\"type\":\"vinyl\"}").status()).isEqualTo(400);
  }

  @Test
  void theEndOfTheMeetingEndsTheRecording() throws TimeoutException {
    simulatorTestClient.post(START, "");
    time.advance(Duration.ofSeconds(40));
    sim.world().endMeeting("standup");
    time.advance(Duration.ofSeconds(8));
    assertThat(
            webhookReceiver
                .await("recording.ready-to-download")
                .payload()
                .path("duration")
                .intValue())
        .isEqualTo(40);
  }

  @Test
  void aLostRecordingIsAnErrorAndACanceledOneIsSilent() throws TimeoutException {
    sim.world()
        .startRecording(
            RecordingRequest.cloud("standup").endingWith(Recording.RecordingOutcome.ERROR));
    time.advance(Duration.ofSeconds(5));
    sim.world().stopRecording("standup", Optional.empty());
    time.advance(Duration.ofSeconds(8));
    JsonNode error = webhookReceiver.await("recording.error").payload();
    assertThat(RoomsApiTest.keys(error))
        .containsExactly("action", "error_msg", "instance_id", "room_name", "timestamp");

    sim.world()
        .startRecording(
            RecordingRequest.cloud("standup").endingWith(Recording.RecordingOutcome.CANCELED));
    time.advance(Duration.ofSeconds(5));
    sim.world().stopRecording("standup", Optional.empty());
    time.advance(Duration.ofSeconds(8));
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    JsonNode list = simulatorTestClient.get("/v1/recordings").body();
    assertThat(list.path("total_count").intValue()).isEqualTo(1);
    assertThat(list.path("data").path(0).path("status").stringValue()).isEqualTo("canceled");
    assertThat(webhookReceiver.mails("recording.ready-to-download")).isEmpty();
  }

  @Test
  void anErrorMayComeBeforeAFileAndBeforeARecording() throws TimeoutException {
    sim.world()
        .startRecording(
            RecordingRequest.cloud("standup")
                .endingWith(Recording.RecordingOutcome.FINISHED_AFTER_ERROR));
    time.advance(Duration.ofSeconds(5));
    int _ = sim.world().stopRecording("standup", Optional.empty());
    JsonNode early = webhookReceiver.await("recording.error").payload();
    assertThat(webhookReceiver.mails("recording.ready-to-download")).isEmpty();
    JsonNode running = simulatorTestClient.get("/v1/recordings").body().path("data").path(0);
    assertThat(running.path("status").stringValue()).isEqualTo("in-progress");

    assertThat(sim.world().failRecordingStart("standup")).isTrue();
    assertThat(sim.world().failRecordingStart("nowhere")).isFalse();
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    JsonNode failed = webhookReceiver.mails("recording.error").getLast().payload();
    assertThat(webhookReceiver.mails("recording.error")).hasSize(2);
    assertThat(failed.path("instance_id")).isEqualTo(early.path("instance_id"));
    assertThat(failed.path("instance_id").stringValue())
        .isEqualTo("c3df927c-f738-4471-a2b7-066fa7e95a6b");
    assertThat(failed.path("timestamp").isString()).isTrue();

    time.advance(Duration.ofSeconds(8));
    assertThat(webhookReceiver.await("recording.ready-to-download").payload().path("recording_id"))
        .isEqualTo(running.path("id"));
    assertThat(simulatorTestClient.get("/v1/recordings").body().path("total_count").intValue())
        .isEqualTo(1);
  }

  /** Records 30 seconds in which Ada speaks; returns the recording's id. */
  private String finished(String type) {
    simulatorTestClient.post(START, "{\"type\":\"" + type + "\"}");
    time.advance(Duration.ofSeconds(2));
    sim.world().say("standup", ada, "Good morning everybody, shall we begin?");
    time.advance(Duration.ofSeconds(28));
    simulatorTestClient.post(STOP, "");
    time.advance(Duration.ofSeconds(8));
    return sim.world().recordings().getFirst().recordingId();
  }
}
