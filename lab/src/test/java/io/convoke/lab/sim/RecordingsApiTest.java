package io.convoke.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.sim.time.SteppedTime;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Visitor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Recordings from start to download, as API and webhooks tell of them. */
final class RecordingsApiTest {

  private static final String START = "/v1/rooms/standup/recordings/start";
  private static final String STOP = "/v1/rooms/standup/recordings/stop";

  private final SteppedTime time = new SteppedTime(Instant.parse("2026-03-02T09:00:00Z"));
  private Inbox inbox;
  private Simulator sim;
  private Client client;
  private String ada;

  @BeforeEach
  void start() throws IOException {
    inbox = new Inbox();
    sim =
        Simulator.start(
            SimulatorOptions.defaults()
                .withTime(time)
                .withWebhook(EndpointRequest.to(inbox.url(), "c2VjcmV0")));
    client = new Client(sim);
    sim.world().create(RoomRequest.named("standup"));
    JoinResult joined = sim.world().join("standup", Visitor.named("Ada"));
    ada = ((JoinResult.Joined) joined).session().sessionId();
  }

  @AfterEach
  void stop() {
    client.close();
    sim.close();
    inbox.close();
  }

  @Test
  void aRecordingIsStartedStoppedAndBecomesReady() throws TimeoutException {
    assertThat(client.post(START, "{\"type\":\"cloud\"}").status()).isEqualTo(200);
    JsonNode started = inbox.await("recording.started").payload();
    assertThat(started.path("action").stringValue()).isEqualTo("start-cloud-recording");
    assertThat(started.path("room_name").stringValue()).isEqualTo("standup");

    JsonNode running = client.get("/v1/recordings").body().path("data").path(0);
    assertThat(running.path("status").stringValue()).isEqualTo("in-progress");
    assertThat(running.has("duration")).isFalse();

    time.advance(Duration.ofSeconds(90));
    assertThat(client.post(STOP, "").status()).isEqualTo(200);
    time.advance(Duration.ofSeconds(8));

    String id = running.path("id").stringValue();
    JsonNode done = client.get("/v1/recordings/" + id).body();
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
    JsonNode ready = inbox.await("recording.ready-to-download").payload();
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
    JsonNode link = client.get("/v1/recordings/" + id + "/access-link?valid_for_secs=600").body();
    assertThat(link.path("expires").longValue()).isEqualTo(time.instant().getEpochSecond() + 600);
    String url = link.path("download_link").stringValue();

    Client.Reply whole = client.get(url);
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.header("Content-Type")).contains("audio/wav");
    byte[] wav = whole.raw().body();
    assertThat(new String(wav, 0, 4, StandardCharsets.US_ASCII)).isEqualTo("RIFF");
    assertThat(wav).hasSize(44 + 32_000 * 30);

    Client.Reply part = client.send("GET", url, "", "Range", "bytes=100-199");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.header("Content-Range")).contains("bytes 100-199/" + wav.length);
    assertThat(part.raw().body()).isEqualTo(Arrays.copyOfRange(wav, 100, 200));
    Client.Reply tail = client.send("GET", url, "", "Range", "bytes=-10");
    assertThat(tail.raw().body()).isEqualTo(Arrays.copyOfRange(wav, wav.length - 10, wav.length));
    assertThat(client.send("GET", url, "", "Range", "bytes=999999999-").status()).isEqualTo(416);

    assertThat(client.get(url.replace("signature=", "signature=x")).status()).isEqualTo(403);
    time.advance(Duration.ofMinutes(10));
    assertThat(client.get(url).status()).isEqualTo(403);
  }

  @Test
  void rawTracksAreReadFromTheBucket() {
    String id = finished("raw-tracks");
    JsonNode recording = client.get("/v1/recordings/" + id).body();
    JsonNode track = recording.path("tracks").path(0);
    assertThat(RoomsApiTest.keys(track)).containsExactly("type", "s3Key", "size");

    Client.Reply file = client.get("/bucket/" + track.path("s3Key").stringValue());
    assertThat(file.status()).isEqualTo(200);
    assertThat(file.raw().body()).hasSize(track.path("size").intValue());
    assertThat(
            client
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
    assertThat(client.post(START, "{\"instanceId\":\"" + one + "\"}").status()).isEqualTo(200);
    assertThat(client.post(START, "{\"instanceId\":\"" + one + "\"}").status()).isEqualTo(400);
    assertThat(client.post(START, "{\"instanceId\":\"" + two + "\"}").status()).isEqualTo(200);
    assertThat(client.post(START, "{\"instanceId\":\"mine\"}").status()).isEqualTo(400);
    assertThat(client.post(STOP, "{\"instanceId\":\"" + two + "\"}").status()).isEqualTo(200);
    assertThat(client.post(STOP, "{\"instanceId\":\"" + two + "\"}").status()).isEqualTo(400);
  }

  @Test
  void anEmptyRoomCannotBeRecorded() {
    sim.world().create(RoomRequest.named("empty"));
    Client.Reply reply = client.post("/v1/rooms/empty/recordings/start", "");
    assertThat(reply.error()).isEqualTo("not-found");
    assertThat(client.post(START, "{\"type\":\"vinyl\"}").status()).isEqualTo(400);
  }

  @Test
  void theEndOfTheMeetingEndsTheRecording() throws TimeoutException {
    client.post(START, "");
    time.advance(Duration.ofSeconds(40));
    sim.world().endMeeting("standup");
    time.advance(Duration.ofSeconds(8));
    assertThat(inbox.await("recording.ready-to-download").payload().path("duration").intValue())
        .isEqualTo(40);
  }

  @Test
  void aLostRecordingIsAnErrorAndACanceledOneIsSilent() throws TimeoutException {
    sim.world()
        .startRecording(RecordingRequest.cloud("standup").endingWith(Recording.Outcome.ERROR));
    time.advance(Duration.ofSeconds(5));
    sim.world().stopRecording("standup", java.util.Optional.empty());
    time.advance(Duration.ofSeconds(8));
    JsonNode error = inbox.await("recording.error").payload();
    assertThat(RoomsApiTest.keys(error))
        .containsExactly("action", "error_msg", "instance_id", "room_name", "timestamp");

    sim.world()
        .startRecording(RecordingRequest.cloud("standup").endingWith(Recording.Outcome.CANCELED));
    time.advance(Duration.ofSeconds(5));
    sim.world().stopRecording("standup", java.util.Optional.empty());
    time.advance(Duration.ofSeconds(8));
    sim.awaitQuiet(Inbox.PATIENCE);
    JsonNode list = client.get("/v1/recordings").body();
    assertThat(list.path("total_count").intValue()).isEqualTo(1);
    assertThat(list.path("data").path(0).path("status").stringValue()).isEqualTo("canceled");
    assertThat(inbox.mails("recording.ready-to-download")).isEmpty();
  }

  /** Records 30 seconds in which Ada speaks; returns the recording's id. */
  private String finished(String type) {
    client.post(START, "{\"type\":\"" + type + "\"}");
    time.advance(Duration.ofSeconds(2));
    sim.world().say("standup", ada, "Good morning everybody, shall we begin?");
    time.advance(Duration.ofSeconds(28));
    client.post(STOP, "");
    time.advance(Duration.ofSeconds(8));
    return sim.world().recordings().getFirst().recordingId();
  }
}
