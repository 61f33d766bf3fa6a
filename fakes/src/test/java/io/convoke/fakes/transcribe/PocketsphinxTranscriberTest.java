package io.convoke.fakes.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.audio.MediaEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The grammar and the result of the recogniser. */
class PocketsphinxTranscriberTest {
  @TempDir private Path folder;

  @Test
  void aLineIsHeardAsItsSentencesInWordsAlone() {
    assertThat(
            PocketsphinxTranscriber.sentences(
                "Fine. Jonas, do you want to start? First: it's done."))
        .containsExactly("fine", "jonas do you want to start", "first", "it's done");
  }

  @Test
  void theLexiconHoldsTheWordsThatAreSaidAndTheGrammarTheirSentences() throws Exception {
    Assumptions.assumeTrue(PocketsphinxTranscriber.isHere(), "pocketsphinx is not here");
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(
            List.of("Northwind reads it. Good.", "Read it."), folder);
    assertThat(Files.readString(listener.grammar()))
        .contains("northwind reads it", "read it")
        .doesNotContain("good");
    assertThat(Files.readAllLines(listener.lexicon()))
        .extracting(line -> line.substring(0, line.indexOf(' ')))
        .contains("northwind", "reads", "it", "read", "read(2)")
        .doesNotContain("good");
    assertThat(listener.setting()).startsWith("command:pocketsphinx_continuous ");
  }

  /** 80 ms are too short to end an utterance, so the recogniser hears both as one. */
  @Test
  void sentencesWithAShortPauseBetweenThemAreHeardLive() throws Exception {
    Assumptions.assumeTrue(
        PocketsphinxTranscriber.isHere() && MediaEncoder.isHere(), "pocketsphinx is not here");
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(
            List.of(
                "We sell the boat on Monday.",
                "The budget is nearly spent.",
                "My brother drives a yellow truck.",
                "It never rains in that desert."),
            folder);
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                """
                say() {
                  espeak-ng -v en-us -s 140 --stdout "$1" | ffmpeg -v error -i - -ar 16000 -ac 1 -f s16le -
                }
                {
                  head -c 32000 /dev/zero
                  say 'We sell the boat on Monday.'
                  head -c 2560 /dev/zero
                  say 'The budget is nearly spent.'
                  head -c 96000 /dev/zero
                } | %s
                """
                    .formatted(listener.live()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String heard = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(heard.strip().split("\\s+"))
        .containsExactly("we sell the boat on monday the budget is nearly spent".split(" "));
  }

  @Test
  void aWordThatNobodyKnowsIsNamed() {
    Assumptions.assumeTrue(PocketsphinxTranscriber.isHere(), "pocketsphinx is not here");
    assertThatThrownBy(() -> PocketsphinxTranscriber.listeningFor(List.of("Say qwxzy."), folder))
        .hasMessageContaining("'qwxzy'");
  }
}
