package io.convoke.server.platform.daily;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.RecordingSource.RecordingTrack;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Keys of raw tracks as Daily makes them. */
class DailyTrackKeysTest {
  private static final String ADA = "52f7f48b-fbab-431f-9a50-87b9abfc8255";
  private static final String BOB = "a37c35e3-6f8e-4274-a482-e9d0f102a732";

  @Test
  void aKeyTellsTheParticipantAndWhenTheTrackBegan() {
    assertThat(
            tracks(
                """
                [{"type": "audio", "s3Key": "ours/stand-up/1760988935484-%1$s-cam-audio-1760988935922"},
                 {"type": "audio", "s3Key": "ours/stand-up/1760988935484-%2$s-cam-audio-1760988943823.webm"},
                 {"type": "video", "s3Key": "ours/stand-up/1760988935484-%1$s-cam-video-1760988935923"},
                 {"s3Key": "ours/stand-up/1760988935484-%1$s-cam-video-1760988935923"}]
                """
                    .formatted(ADA, BOB)))
        .containsExactly(
            new RecordingTrack(
                "ours/stand-up/1760988935484-" + ADA + "-cam-audio-1760988935922",
                Optional.of(ADA),
                Duration.ofMillis(438)),
            new RecordingTrack(
                "ours/stand-up/1760988935484-" + BOB + "-cam-audio-1760988943823.webm",
                Optional.of(BOB),
                Duration.ofMillis(8339)));
  }

  @Test
  void noTrackBeginsBeforeItsRecording() {
    String key = "ours/stand-up/1760988935484-" + ADA + "-cam-audio-1760988935483";
    assertThat(tracks("[{\"s3Key\": \"" + key + "\"}]"))
        .containsExactly(new RecordingTrack(key, Optional.of(ADA), Duration.ZERO));
  }

  @Test
  void aKeyOfAnotherFormIsReadAndOneThatIsNoPathIsNot() {
    assertThat(
            tracks(
                """
                [{"type": "audio", "s3Key": "ours/one.webm"},
                 {"type": "audio", "s3Key": "../../etc/passwd"},
                 {"type": "audio", "s3Key": "/etc/passwd"},
                 {"type": "audio", "s3Key": "http://127.0.0.1/x"},
                 {"type": "audio"}]
                """))
        .containsExactly(new RecordingTrack("ours/one.webm", Optional.empty(), Duration.ZERO));
    assertThat(tracks("null")).isEmpty();
  }

  private static List<RecordingTrack> tracks(String json) {
    return DailyTrackKeys.audioTracks(Json.read(json));
  }
}
