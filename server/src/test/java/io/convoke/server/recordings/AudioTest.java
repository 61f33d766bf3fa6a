package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The audio of a recording over HTTP, with ranges. */
class AudioTest {
  @TempDir private Path folder;
  private RecordingsTestKit kit;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
  }

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void theAudioIsServedWholeAndInRangesToUsersWhoSeeTheRecording() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long _ = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    RecordingRow done;
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      done = kit.await(moves, id, RecordingStatus.DONE);
    }
    RecordingRow.StoredAudio storedAudio = done.audio().orElseThrow();
    String path = "/recordings/" + id + "/audio";
    ContractClient ann = kit.as(node, kit.ann);

    String waveformPath = "/recordings/" + id + "/waveform";
    JsonNode waveform = ann.get(waveformPath).expect(200).json();
    assertThat(waveform.path("peaks")).hasSize(1500);
    assertThat(waveform.path("seconds").asDouble()).isBetween(89.0, 92.0);
    assertThat(waveform.path("video").asBoolean()).isFalse();
    List<Integer> loud =
        waveform.path("peaks").valueStream().map(JsonNode::asInt).filter(it -> it > 8).toList();
    assertThat(loud).isNotEmpty().hasSizeLessThan(1500).allMatch(peak -> peak <= 255);
    kit.as(node, kit.bob).get(waveformPath).expect(404);

    HttpResponse<byte[]> whole = bytes(node, path, "");
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.body()).hasSize((int) storedAudio.size());
    assertThat(whole.headers().firstValue("Content-Type")).hasValue("audio/wav");
    assertThat(whole.headers().firstValue("Accept-Ranges")).hasValue("bytes");
    assertThat(whole.body())
        .isEqualTo(
            kit.blobs()
                .read(new BlobKey(storedAudio.key()), 0, (int) storedAudio.size())
                .orElseThrow());

    HttpResponse<byte[]> part = bytes(node, path, "bytes=1000-200999");
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body()).isEqualTo(Arrays.copyOfRange(whole.body(), 1000, 201_000));
    assertThat(part.headers().firstValue("Content-Range"))
        .hasValue("bytes 1000-200999/" + storedAudio.size());

    // As in the OpenAPI document.
    Answered tail = ann.with("Range", "bytes=-4").get(path).expect(206);
    assertThat(tail.header("Content-Length")).isEqualTo("4");
    ann.with("Range", "bytes=" + storedAudio.size() + "-")
        .get(path)
        .expect(416, "range_not_satisfiable");
    kit.as(node, kit.bob).get(path).expect(404);
    kit.admin(node).with("Range", "bytes=0-0").get(path).expect(206);
    ann.get("/recordings/unknown/audio").expect(404);

    assertThat(kit.blobs().delete(new BlobKey(storedAudio.key()))).isTrue();
    ann.get(path).expect(404);
  }

  private HttpResponse<byte[]> bytes(Node node, String path, String range)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(URI.create(node.http().url() + path))
              .header("X-API-Key", Long.toString(kit.ann))
              .header("Range", range)
              .build(),
          HttpResponse.BodyHandlers.ofByteArray());
    }
  }
}
