package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.convoke.fakes.transcribe.FakeWhisperLive;
import io.convoke.fakes.transcribe.FakeWhisperLive.WhisperLivePace;
import io.convoke.server.transcribe.Transcriber.TranscriptionListener;
import io.convoke.server.transcribe.WhisperLiveTranscriber.WhisperLiveTimes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** WhisperLive that is behind the audio. */
class WhisperLiveContractTest extends TranscriberContract {
  private final FakeWhisperLive server =
      new FakeWhisperLive(LINES, new WhisperLivePace(100, Duration.ofMinutes(5), true));

  @AfterEach
  void close() {
    assertThat(server.complaints()).allMatch(it -> it.contains("without END_OF_AUDIO"));
    server.close();
  }

  @Override
  Transcriber transcriber() {
    return new WhisperLiveTranscriber(
        server.url(),
        "small",
        Optional.empty(),
        new WhisperLiveTimes(Duration.ofMillis(400), Duration.ofMinutes(1)));
  }

  @Override
  Transcriber unreachable() {
    return TranscriberFactory.of("whisperlive:ws://127.0.0.1:1", Optional.empty()).orElseThrow();
  }

  @Tag("nightly")
  @Test
  void anAudioThatIsLongerThanASessionTakesSeveral() throws Exception {
    for (WhisperLiveTimes times :
        List.of(
            // The client ends its sessions in time, and then the server does.
            new WhisperLiveTimes(Duration.ofMillis(300), Duration.ofMillis(300)),
            new WhisperLiveTimes(Duration.ofMillis(300), Duration.ofMinutes(1)))) {
      try (FakeWhisperLive impatient =
          new FakeWhisperLive(LINES, new WhisperLivePace(60, Duration.ofMillis(600), true))) {
        List<TranscriptSegment> segments =
            segments(
                new WhisperLiveTranscriber(impatient.url(), "small", Optional.empty(), times)
                    .transcribe(TestWav.clock(folder, SECONDS), TranscriptionListener.NONE));

        assertThat(words(segments)).isEqualTo(lines());
        assertThat(segments.getLast().end()).isCloseTo(LINES.getLast().end(), within(0.1));
        assertThat(impatient.sessions()).isGreaterThan(1);
      }
    }
  }
}
