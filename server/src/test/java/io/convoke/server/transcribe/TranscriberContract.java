package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.fakes.transcribe.TranscriptLine;
import io.convoke.server.transcribe.Transcriber.TranscriptionListener;
import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every transcriber does with a file of 16 kHz, one channel and 16 bits. */
abstract class TranscriberContract {
  /** Seconds of the audio. */
  static final int SECONDS = 62;

  /** A line in every four seconds, the last one at the very end. */
  static final List<TranscriptLine> LINES =
      IntStream.range(0, SECONDS / 4)
          .mapToObj(
              i ->
                  new TranscriptLine(
                      4 * i + 2.2,
                      4 * i + 5.9,
                      "this is line number " + (i + 1) + ".",
                      i % 2 == 0 ? "Ada" : "Bob"))
          .toList();

  @TempDir Path folder;

  /** A transcriber whose service returns {@link #LINES} for an audio of {@link #SECONDS}. */
  abstract Transcriber transcriber() throws IOException;

  /** A transcriber whose service is not there. */
  abstract Transcriber unreachable();

  /** Whether the service tells when words were spoken. */
  boolean tellsTimes() {
    return true;
  }

  /** Whether the service tells speakers apart. */
  boolean tellsSpeakers() {
    return false;
  }

  @Test
  void everyLineIsThereOnceAndInOrderToTheLastOne() throws Exception {
    TranscriptionNotes notes = new TranscriptionNotes();
    List<TranscriptSegment> segments =
        segments(transcriber().transcribe(TestWav.clock(folder, SECONDS), notes));

    assertThat(words(segments)).isEqualTo(lines());
    assertThat(notes.heard).isEqualTo(segments);
    assertThat(notes.progress).isSorted().allMatch(fraction -> fraction >= 0 && fraction <= 1);
  }

  @Test
  void segmentsHaveTheirTimesAndSpeakers() throws Exception {
    List<TranscriptSegment> segments =
        segments(
            transcriber().transcribe(TestWav.clock(folder, SECONDS), TranscriptionListener.NONE));

    assertThat(segments)
        .allMatch(segment -> segment.start() >= 0 && segment.start() <= segment.end())
        .allMatch(segment -> segment.end() <= SECONDS + 0.01);
    assertThat(segments.stream().map(TranscriptSegment::start)).isSorted();
    if (tellsTimes()) {
      assertThat(segments).hasSameSizeAs(LINES);
      for (int i = 0; i < LINES.size(); i++) {
        assertThat(segments.get(i).start())
            .isBetween(LINES.get(i).start() - 0.1, LINES.get(i).start() + 0.1);
        assertThat(segments.get(i).end())
            .isBetween(LINES.get(i).end() - 0.1, LINES.get(i).end() + 0.1);
      }
    }
    if (tellsSpeakers()) {
      assertThat(segments.stream().map(segment -> segment.speaker().orElseThrow()).limit(4))
          .containsExactly("A", "B", "A", "B");
    }
  }

  @Test
  void aServiceThatIsNotThereIsTriedAgain() throws Exception {
    Path audio = TestWav.clock(folder, 1);
    assertThatThrownBy(() -> unreachable().transcribe(audio, TranscriptionListener.NONE))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aFileWithoutAudioIsRefusedForGood() throws Exception {
    Path text = Files.writeString(folder.resolve("not.wav"), "hello");
    assertThat(transcriber().transcribe(text, TranscriptionListener.NONE))
        .isInstanceOf(TranscriptionResult.AudioRefused.class);
  }

  @Test
  void anInterruptEndsIt() throws Exception {
    Path audio = TestWav.clock(folder, SECONDS);
    Transcriber transcriber = transcriber();
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    Thread.currentThread().interrupt();
                    var _ = transcriber.transcribe(audio, TranscriptionListener.NONE);
                  } catch (IOException | InterruptedException e) {
                    end.set(e);
                  }
                });
    assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
    assertThat(end.get()).isInstanceOf(InterruptedException.class);
  }

  static List<String> lines() {
    return LINES.stream().flatMap(line -> Arrays.stream(line.text().split(" ", -1))).toList();
  }

  static List<String> words(List<TranscriptSegment> segments) {
    return segments.stream()
        .flatMap(segment -> Arrays.stream(segment.text().split(" ", -1)))
        .toList();
  }

  static List<TranscriptSegment> segments(TranscriptionResult result) {
    return ((TranscriptionResult.AudioTranscribed) result).segments();
  }
}
