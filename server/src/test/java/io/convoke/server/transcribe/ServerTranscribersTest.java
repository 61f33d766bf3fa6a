package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.lab.transcribe.OpenAiStandIn;
import io.convoke.lab.transcribe.Said;
import io.convoke.lab.transcribe.WhisperLiveStandIn;
import io.convoke.server.transcribe.Transcriber.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The two transcribers that ask a server, against strict stand-ins of those servers. */
class ServerTranscribersTest {
  private static final List<Said> LINES =
      List.of(new Said(0.5, 2, "Good morning."), new Said(2.5, 4, "Shall we begin?"));

  @TempDir private Path folder;

  @Test
  void openAiIsAskedAsItsApiWantsItAndAnswersSegmentsWithTimes() throws Exception {
    try (OpenAiStandIn server = new OpenAiStandIn("sk-1", LINES)) {
      Path audio = Wav.tone(folder, 5, 16_000, 1);
      Notes notes = new Notes();
      Outcome outcome = openAi(server, "sk-1").transcribe(audio, notes);
      assertThat(server.complaints()).isEmpty();
      assertThat(server.files().getFirst()).isEqualTo(Files.readAllBytes(audio));
      assertThat(((Outcome.Heard) outcome).segments())
          .extracting(Segment::start, Segment::end, Segment::text)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple(0.5, 2.0, "Good morning."),
              org.assertj.core.groups.Tuple.tuple(2.5, 4.0, "Shall we begin?"));
      assertThat(notes.heard).hasSize(2);
    }
  }

  @Test
  void whatOpenAiMayDoLaterIsTriedAgainAndWhatItRefusesIsNot() throws Exception {
    try (OpenAiStandIn server = new OpenAiStandIn("sk-1", LINES)) {
      Path audio = Wav.tone(folder, 1, 16_000, 1);
      for (int status : List.of(429, 500, 503)) {
        server.fail(status);
        assertThatThrownBy(() -> openAi(server, "sk-1").transcribe(audio, new Notes()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(Integer.toString(status));
      }
      assertThatThrownBy(() -> openAi(server, "wrong").transcribe(audio, new Notes()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("401")
          .hasMessageNotContaining("wrong");
      Path text = Files.writeString(folder.resolve("not.wav"), "hello");
      assertThat(openAi(server, "sk-1").transcribe(text, new Notes()))
          .isInstanceOf(Outcome.Refused.class);
    }
  }

  @Test
  void whisperLiveHearsEveryLineOnceAndTheLastOneToo() throws Exception {
    List<Said> lines =
        IntStream.range(0, 20).mapToObj(i -> new Said(4 * i, 4 * i + 3, "line " + i)).toList();
    try (WhisperLiveStandIn server = new WhisperLiveStandIn(lines)) {
      Path audio = Wav.tone(folder, 82, 16_000, 1);
      Notes notes = new Notes();
      Outcome outcome = whisperLive(server).transcribe(audio, notes);
      assertThat(server.complaints()).isEmpty();
      assertThat(server.secondsHeard()).isCloseTo(82, org.assertj.core.api.Assertions.within(0.01));
      List<Segment> segments = ((Outcome.Heard) outcome).segments();
      assertThat(segments.stream().map(Segment::text))
          .containsExactlyElementsOf(lines.stream().map(Said::text).toList());
      assertThat(notes.heard).containsExactlyElementsOf(segments);
      assertThat(segments.getFirst().language()).contains("en");
      assertThat(notes.progress).isSorted().endsWith(1.0);
    }
  }

  @Test
  void aFullWhisperLiveIsAskedAgainLater() throws Exception {
    try (WhisperLiveStandIn server = new WhisperLiveStandIn(LINES)) {
      server.full(true);
      Path audio = Wav.tone(folder, 1, 16_000, 1);
      assertThatThrownBy(() -> whisperLive(server).transcribe(audio, new Notes()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("WAIT");
      Path text = Files.writeString(folder.resolve("not.wav"), "hello");
      assertThat(whisperLive(server).transcribe(text, new Notes()))
          .isInstanceOf(Outcome.Refused.class);
    }
  }

  @Test
  void aServerThatIsAwayIsAFailureForNow() throws Exception {
    Path audio = Wav.tone(folder, 1, 16_000, 1);
    for (String away : List.of("openai:http://127.0.0.1:1", "whisperlive:ws://127.0.0.1:1")) {
      Transcriber transcriber = Transcribers.of(away, Optional.empty()).orElseThrow();
      assertThatThrownBy(() -> transcriber.transcribe(audio, new Notes()))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aTranscriberIsNamedAsTheContractSays() {
    assertThat(Transcribers.of("none", Optional.empty())).isEmpty();
    for (String bad : List.of("", "command:", "openai:ws://x", "whisperlive:http://x", "google")) {
      assertThatIllegalArgumentException().isThrownBy(() -> Transcribers.of(bad, Optional.empty()));
    }
  }

  private static Transcriber openAi(OpenAiStandIn server, String key) {
    return Transcribers.of("openai:" + server.url() + "?model=whisper-1", Optional.of(key))
        .orElseThrow();
  }

  private static Transcriber whisperLive(WhisperLiveStandIn server) {
    return new WhisperLiveTranscriber(
        server.url(), "small", Optional.empty(), Duration.ofSeconds(2));
  }
}
