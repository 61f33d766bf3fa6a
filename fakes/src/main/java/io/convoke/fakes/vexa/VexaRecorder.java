package io.convoke.fakes.vexa;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * Uploads what the image records, to the path of the URL without its query, by the bearer of the
 * release: the token, or the internal secret of 0.12. Up to 0.10 one file at the end; later parts,
 * each as soon as it is there, and a last one that is empty in 0.12.
 */
final class VexaRecorder {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  private final VexaBotConfig config;
  private final VexaRelease vexaRelease;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private int next;

  VexaRecorder(VexaBotConfig config, VexaRelease vexaRelease) {
    this.config = config;
    this.vexaRelease = vexaRelease;
  }

  private record RecordedPart(int number, boolean last) {}

  /** Two parts of what was recorded so far. */
  synchronized void record() {
    if (config.recordingUploadUrl().isPresent() && vexaRelease.records()) {
      next = 2;
      if (vexaRelease.uploadsParts()) {
        upload(content(0), Optional.of(new RecordedPart(0, false)));
        upload(content(1), Optional.of(new RecordedPart(1, false)));
      }
    }
  }

  /** The end of the recording, if anything was recorded. */
  synchronized void close() {
    if (next == 0) {
      return;
    }
    if (!vexaRelease.uploadsParts()) {
      upload(content(0) + content(1) + content(2), Optional.empty());
    } else {
      upload(
          vexaRelease == VexaRelease.V0_12 ? "" : content(2),
          Optional.of(new RecordedPart(next, true)));
    }
    next = 0;
  }

  private static String content(int number) {
    return "part " + number + ";";
  }

  private void upload(String content, Optional<RecordedPart> part) {
    URI url = URI.create(config.recordingUploadUrl().orElseThrow());
    String boundary = "----VexaRecording" + System.nanoTime();
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath()))
            .timeout(ANSWER_MAX)
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
            .header(
                "Authorization",
                "Bearer "
                    + (vexaRelease == VexaRelease.V0_12
                        ? config.internalSecret().orElse("")
                        : config.token()))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body(boundary, content, part)))
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println("upload answered " + response.statusCode());
      if (response.statusCode() / 100 != 2) {
        FakeVexaBot.complain("an upload answered " + response.statusCode());
      }
    } catch (IOException e) {
      System.out.println("upload got no response");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private byte[] body(String boundary, String content, Optional<RecordedPart> part) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("meeting_id", config.meetingId());
    metadata.put("session_uid", config.connectionId());
    metadata.put("format", "webm");
    metadata.put("sample_rate", 16_000);
    metadata.put("channels", 1);
    metadata.put("duration_seconds", 12.5);
    metadata.put("file_size_bytes", content.length());
    part.ifPresent(
        it -> {
          metadata.put("chunk_seq", it.number());
          metadata.put("is_final", it.last());
        });
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    field(
        out,
        boundary,
        "name=\"metadata\"\r\nContent-Type: application/json",
        JsonMapper.shared().writeValueAsString(metadata));
    part.ifPresent(
        it -> {
          field(out, boundary, "name=\"chunk_seq\"", Integer.toString(it.number()));
          field(out, boundary, "name=\"is_final\"", Boolean.toString(it.last()));
        });
    String file = part.map(it -> "recording." + it.number()).orElse("recording") + ".webm";
    field(
        out,
        boundary,
        "name=\"file\"; filename=\"" + file + "\"\r\nContent-Type: audio/webm",
        content);
    out.writeBytes(("--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }

  private static void field(
      ByteArrayOutputStream out, String boundary, String head, String content) {
    out.writeBytes(
        ("--"
                + boundary
                + "\r\nContent-Disposition: form-data; "
                + head
                + "\r\n\r\n"
                + content
                + "\r\n")
            .getBytes(StandardCharsets.UTF_8));
  }
}
