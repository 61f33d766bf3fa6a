package io.convoke.fakes.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

  @Test
  void aWordThatNobodyKnowsIsNamed() {
    Assumptions.assumeTrue(PocketsphinxTranscriber.isHere(), "pocketsphinx is not here");
    assertThatThrownBy(() -> PocketsphinxTranscriber.listeningFor(List.of("Say qwxzy."), folder))
        .hasMessageContaining("'qwxzy'");
  }
}
