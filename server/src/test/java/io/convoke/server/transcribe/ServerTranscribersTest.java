package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.fakes.transcribe.FakeOpenAi;
import io.convoke.fakes.transcribe.FakeWhisperLive;
import io.convoke.fakes.transcribe.TranscriptLine;
import io.convoke.server.media.SpeechWav;
import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import io.convoke.server.transcribe.TranscriptSegment.TimedToken;
import io.convoke.server.transcribe.WhisperLiveTranscriber.WhisperLiveTimes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The two server transcribers, against strict fakes of the servers. */
class ServerTranscribersTest {
  private static final List<TranscriptLine> LINES =
      List.of(
          new TranscriptLine(0.5, 2, "Good morning."),
          new TranscriptLine(2.5, 4, "Shall we begin?"));

  @TempDir private Path folder;

  @Test
  void openAiIsAskedAsItsApiWantsItAndAnswersSegmentsWithTimes() throws Exception {
    try (FakeOpenAi server = new FakeOpenAi("sk-1", LINES)) {
      Path audio = TestWav.tone(folder, 5);
      TranscriptionNotes transcriptionNotes = new TranscriptionNotes();
      TranscriptionResult transcriptionResult =
          openAi(server, "sk-1").transcribe(audio, transcriptionNotes);
      assertThat(server.complaints()).isEmpty();
      assertThat(server.files().getFirst()).isEqualTo(Files.readAllBytes(audio));
      assertThat(((TranscriptionResult.AudioTranscribed) transcriptionResult).segments())
          .extracting(TranscriptSegment::start, TranscriptSegment::end, TranscriptSegment::text)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple(0.5, 2.0, "Good morning."),
              org.assertj.core.groups.Tuple.tuple(2.5, 4.0, "Shall we begin?"));
      assertThat(transcriptionNotes.heard).hasSize(2);
    }
  }

  @Test
  void whatOpenAiMayDoLaterIsTriedAgainAndWhatItRefusesIsNot() throws Exception {
    try (FakeOpenAi server = new FakeOpenAi("sk-1", LINES)) {
      Path audio = TestWav.tone(folder, 1);
      for (int status : List.of(429, 500, 503)) {
        server.fail(status);
        assertThatThrownBy(() -> openAi(server, "sk-1").transcribe(audio, new TranscriptionNotes()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(Integer.toString(status));
      }
      assertThatThrownBy(() -> openAi(server, "wrong").transcribe(audio, new TranscriptionNotes()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("401")
          .hasMessageNotContaining("wrong");
      Path text = Files.writeString(folder.resolve("not.wav"), "hello");
      assertThat(openAi(server, "sk-1").transcribe(text, new TranscriptionNotes()))
          .isInstanceOf(TranscriptionResult.AudioRefused.class);
    }
  }

  @Test
  void openAiRefusesLessThanATenthOfASecond() throws Exception {
    try (FakeOpenAi server = new FakeOpenAi("sk-1", LINES)) {
      SpeechWav second = SpeechWav.open(TestWav.tone(folder, 1)).orElseThrow();
      Path shorter = second.cut(0, 0.09, folder.resolve("shorter.wav")).file();
      assertThat(openAi(server, "sk-1").transcribe(shorter, new TranscriptionNotes()))
          .isInstanceOfSatisfying(
              TranscriptionResult.AudioRefused.class,
              refused -> assertThat(refused.reason()).contains("too short"));
      Path shortest = second.cut(0, 0.1, folder.resolve("shortest.wav")).file();
      assertThat(openAi(server, "sk-1").transcribe(shortest, new TranscriptionNotes()))
          .isInstanceOf(TranscriptionResult.AudioTranscribed.class);
    }
  }

  @Test
  void anAudioAboveTwentyFiveMegabytesGoesToOpenAiInPieces() throws Exception {
    List<TranscriptLine> lines =
        IntStream.range(0, 90)
            .mapToObj(
                i -> new TranscriptLine(10 * i + 1, 10 * i + 8, "now we come to topic " + i + "."))
            .toList();
    try (FakeOpenAi server = new FakeOpenAi("sk-1", file -> heard(lines, file))) {
      Path audio = TestWav.clock(folder, 900);
      Transcriber transcriber = openAi(server, "sk-1");
      assertThat(transcriber.transcribe(audio, new TranscriptionNotes()))
          .isInstanceOf(TranscriptionResult.AudioRefused.class);
      assertThat(server.complaints()).singleElement().asString().contains("26214400");

      SpeechWav whole = SpeechWav.open(audio).orElseThrow();
      List<TranscriptSegment> merged = List.of();
      for (AudioPiece piece : AudioPiece.of(whole.seconds(), transcriber.limits())) {
        Path file = folder.resolve("piece-" + piece.number() + ".wav");
        SpeechWav part = whole.cut(piece.start(), piece.end(), file);
        List<TranscriptSegment> found =
            ((TranscriptionResult.AudioTranscribed)
                    transcriber.transcribe(part.file(), new TranscriptionNotes()))
                .segments().stream().map(it -> it.shifted(piece.start())).toList();
        merged =
            piece.number() == 1
                ? found
                : PieceMerge.join(merged, found, piece.start(), piece.start() + 15);
      }

      assertThat(server.complaints()).hasSize(1);
      assertThat(server.files()).hasSize(2);
      assertThat(String.join(" ", merged.stream().map(TranscriptSegment::text).toList()))
          .isEqualTo(String.join(" ", lines.stream().map(TranscriptLine::text).toList()));
      assertThat(merged.getLast().start()).isEqualTo(891);
    }
  }

  /** The lines of a part of the audio, whose first sample is its second. */
  private static List<TranscriptLine> heard(List<TranscriptLine> lines, byte[] file) {
    double from = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getShort(44);
    double to = from + (file.length - 44) / 32_000.0;
    return lines.stream()
        .filter(line -> line.start() >= from && line.end() <= to)
        .map(line -> new TranscriptLine(line.start() - from, line.end() - from, line.text()))
        .toList();
  }

  @Test
  void whisperTellsWordsWithTheirTimesTheLanguageAndHowSureItIs() throws Exception {
    try (FakeOpenAi server = new FakeOpenAi("sk-1", LINES)) {
      Path audio = TestWav.tone(folder, 5);
      TranscriptSegment first =
          ((TranscriptionResult.AudioTranscribed)
                  openAi(server, "sk-1").transcribe(audio, new TranscriptionNotes()))
              .segments()
              .getFirst();
      assertThat(first.words())
          .containsExactly(new TimedToken(0.5, 1.25, "Good"), new TimedToken(1.25, 2, "morning"));
      assertThat(first.language()).contains("en");
      assertThat(first.confidence().orElseThrow())
          .isCloseTo(Math.exp(-0.3), org.assertj.core.api.Assertions.within(1e-9));
    }
  }

  @Test
  void sentencesWithoutSpacesBetweenThemAreSegments() throws Exception {
    List<TranscriptLine> lines = List.of(new TranscriptLine(0, 6, "今天很好。他说「好！」明天开会？好。"));
    try (FakeOpenAi server = new FakeOpenAi("sk-1", lines)) {
      Transcriber transcriber =
          TranscriberFactory.of(
                  "openai:" + server.url() + "?model=gpt-4o-transcribe", Optional.of("sk-1"))
              .orElseThrow();
      TranscriptionResult transcriptionResult =
          transcriber.transcribe(TestWav.tone(folder, 6), Transcriber.TranscriptionListener.NONE);
      assertThat(((TranscriptionResult.AudioTranscribed) transcriptionResult).segments())
          .extracting(TranscriptSegment::text)
          .containsExactly("今天很好。", "他说「好！」明天开会？", "好。");
    }
  }

  @Test
  void whisperLiveReturnsEveryLineOnceIncludingTheLast() throws Exception {
    List<TranscriptLine> lines =
        IntStream.range(0, 20)
            .mapToObj(i -> new TranscriptLine(4 * i, 4 * i + 3, "line " + i))
            .toList();
    try (FakeWhisperLive server = new FakeWhisperLive(lines)) {
      Path audio = TestWav.tone(folder, 82);
      TranscriptionNotes transcriptionNotes = new TranscriptionNotes();
      TranscriptionResult transcriptionResult =
          whisperLive(server).transcribe(audio, transcriptionNotes);
      assertThat(server.complaints()).isEmpty();
      // The audio and a little silence.
      assertThat(server.secondsHeard()).isBetween(82.0, 85.0);
      List<TranscriptSegment> segments =
          ((TranscriptionResult.AudioTranscribed) transcriptionResult).segments();
      assertThat(segments.stream().map(TranscriptSegment::text))
          .containsExactlyElementsOf(lines.stream().map(TranscriptLine::text).toList());
      assertThat(transcriptionNotes.heard).containsExactlyElementsOf(segments);
      assertThat(segments.getFirst().language()).contains("en");
      assertThat(transcriptionNotes.progress).isSorted().endsWith(1.0);
    }
  }

  @Test
  void aFullWhisperLiveIsAskedAgainLater() throws Exception {
    try (FakeWhisperLive server = new FakeWhisperLive(LINES)) {
      server.full(true);
      Path audio = TestWav.tone(folder, 1);
      assertThatThrownBy(() -> whisperLive(server).transcribe(audio, new TranscriptionNotes()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("WAIT");
      Path text = Files.writeString(folder.resolve("not.wav"), "hello");
      assertThat(whisperLive(server).transcribe(text, new TranscriptionNotes()))
          .isInstanceOf(TranscriptionResult.AudioRefused.class);
    }
  }

  @Test
  void anUnreachableServerIsARetryableFailure() throws Exception {
    Path audio = TestWav.tone(folder, 1);
    for (String away : List.of("openai:http://127.0.0.1:1", "whisperlive:ws://127.0.0.1:1")) {
      Transcriber transcriber = TranscriberFactory.of(away, Optional.empty()).orElseThrow();
      assertThatThrownBy(() -> transcriber.transcribe(audio, new TranscriptionNotes()))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aTranscriberIsNamedAsInTheContract() {
    assertThat(TranscriberFactory.of("none", Optional.empty())).isEmpty();
    assertThat(TranscriberFactory.checked("none")).isEqualTo("none");
    for (String bad : List.of("", "command:", "openai:ws://x", "whisperlive:http://x", "google")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> TranscriberFactory.of(bad, Optional.empty()));
      assertThatIllegalArgumentException().isThrownBy(() -> TranscriberFactory.checked(bad));
    }
  }

  private static Transcriber openAi(FakeOpenAi server, String key) {
    return TranscriberFactory.of("openai:" + server.url() + "?model=whisper-1", Optional.of(key))
        .orElseThrow();
  }

  private static Transcriber whisperLive(FakeWhisperLive server) {
    return new WhisperLiveTranscriber(
        server.url(),
        "small",
        Optional.empty(),
        new WhisperLiveTimes(Duration.ofSeconds(1), Duration.ofMinutes(1)));
  }
}
