package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real transcriber on synthesized speech. */
class RealSpeechTest {
  /** The 72 sentences that the transcriber may return. */
  private static final String GRAMMAR =
      """
      #JSGF V1.0;
      grammar moves;
      public <move> = (hello | goodbye) (world | people)
        | (go | come) (forward | backward) [(two | ten) (meters | miles)];
      """;

  @TempDir private Path folder;

  @BeforeAll
  static void install() {
    boolean here = PocketsphinxTranscriber.install();
    if (!here) {
      System.err.println(
          "SKIPPED: no real transcriber on this machine; install "
              + String.join(", ", PocketsphinxTranscriber.PACKAGES));
    }
    Assumptions.assumeTrue(here, "espeak-ng and pocketsphinx are not here and cannot be had");
  }

  @Test
  void pocketsphinxTranscribesEspeak() throws Exception {
    Path audio = speak("Hello world. Go forward. Come backward two miles.");
    Path grammar = Files.writeString(folder.resolve("moves.gram"), GRAMMAR);
    Transcriber transcriber =
        TranscriberFactory.of(
                "command:pocketsphinx_continuous -logfn /dev/null -jsgf "
                    + grammar
                    + " -infile {audio}",
                Optional.empty())
            .orElseThrow();
    TranscriptionResult transcriptionResult =
        transcriber.transcribe(audio, Transcriber.TranscriptionListener.NONE);
    List<TranscriptSegment> segments =
        ((TranscriptionResult.AudioTranscribed) transcriptionResult).segments();
    assertThat(segments.stream().map(TranscriptSegment::text))
        .containsExactly("hello world", "go forward", "come backward two miles");
    assertThat(segments.getLast().end()).isGreaterThan(1);
  }

  private Path speak(String text) throws Exception {
    Path raw = folder.resolve("spoken.wav");
    assertThat(run("espeak-ng", "-s", "120", "-v", "en-us", "-w", raw.toString(), text)).isZero();
    // espeak-ng writes 22 kHz, pocketsphinx reads 16 kHz.
    return ResampledAudio.to16k(raw, folder.resolve("listened.wav"));
  }

  private static int run(String... line) throws IOException, InterruptedException {
    return new ProcessBuilder(line).inheritIO().start().waitFor();
  }
}
