package io.convoke.server.platform.daily;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.platform.RecordingWebhook;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Webhooks about recordings, with the fields that Daily publishes. */
class DailyRecordingSourceTest {
  private final DailyRecordingSource source =
      new DailyRecordingSource(
          new DailyConfig(URI.create("http://127.0.0.1:9"), "key", DailyConfig.DEFAULT_TIMEOUT),
          RateLimiter.unlimited(),
          RateLimiter.unlimited());

  @Test
  void aStartTellsNeitherRoomNorKind() {
    assertThat(
            parsed(
                """
                {"version": "1.0.0", "type": "recording.started", "id": "e-1",
                  "event_ts": 1692124183,
                  "payload": {"action": "start-cloud-recording", "recording_id": "r-1",
                    "layout": {"preset": "active-participant"}, "started_by": "p-1",
                    "instance_id": "c3df927c-f738-4471-a2b7-066fa7e95a6b",
                    "start_ts": 1692124183}}
                """))
        .isEqualTo(
            new RecordingWebhook.RecordingStatusWebhook(
                new RecordingInfo(
                    "r-1",
                    "",
                    Optional.empty(),
                    Optional.of("c3df927c-f738-4471-a2b7-066fa7e95a6b"),
                    Optional.of(Instant.ofEpochSecond(1692124183)),
                    Optional.empty(),
                    PlatformRecordingStatus.RUNNING,
                    Optional.empty())));
  }

  @Test
  void aFileTellsItsRoomAndKind() {
    assertThat(
            parsed(
                """
                {"version": "1.0.0", "type": "recording.ready-to-download", "id": "e-2",
                  "event_ts": 1692124192,
                  "payload": {"type": "raw-tracks", "recording_id": "r-1", "room_name": "call",
                    "start_ts": 1692124183, "status": "finished", "max_participants": 1,
                    "duration": 9, "s3_key": "k", "share_token": null,
                    "tracks": [{"type": "audio", "s3Key": "t", "size": 1}]}}
                """))
        .isEqualTo(
            new RecordingWebhook.RecordingStatusWebhook(
                new RecordingInfo(
                    "r-1",
                    "call",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(Instant.ofEpochSecond(1692124183)),
                    Optional.of(Duration.ofSeconds(9)),
                    PlatformRecordingStatus.FINISHED,
                    Optional.of("raw-tracks"))));
  }

  /** Its time is documented as a number and is a text in Daily's example. */
  @Test
  void anErrorTellsRoomAndInstance() {
    assertThat(
            parsed(
                """
                {"version": "1.0.0", "type": "recording.error", "id": "e-3",
                  "event_ts": 1693402871.203,
                  "payload": {"action": "cloud-recording-error",
                    "error_msg": "cloud-recording-error: no credentials",
                    "instance_id": "c3df927c-f738-4471-a2b7-066fa7e95a6b", "room_name": "call",
                    "timestamp": "1693402871"}}
                """))
        .isEqualTo(
            new RecordingWebhook.RecordingFailedWebhook(
                "call",
                Optional.of("c3df927c-f738-4471-a2b7-066fa7e95a6b"),
                "cloud-recording-error: no credentials"));
  }

  private RecordingWebhook parsed(String body) {
    return source.parseWebhook(body.getBytes(StandardCharsets.UTF_8));
  }
}
