package io.convoke.server.summaries;

import java.io.IOException;

/** A language model, or a program, that answers an instruction about a text. */
public interface Summarizer {

  /** Its name and model, as users see it. */
  String name();

  /** How many characters of a transcript it takes at once. */
  int charsMax();

  /**
   * Answers one text. Blocks until the answer is there; an interrupt ends it.
   *
   * @param instruction what to do with the text
   * @throws IOException when a retry may succeed
   */
  SummarizerAnswer answer(String instruction, String text) throws IOException, InterruptedException;

  /** The result. */
  sealed interface SummarizerAnswer {
    /** An answer, which may not have the form that was asked for. */
    record SummarizerAnswered(String text) implements SummarizerAnswer {}

    /** A permanent failure: it does not answer this. */
    record SummarizerRefused(String why) implements SummarizerAnswer {}
  }
}
