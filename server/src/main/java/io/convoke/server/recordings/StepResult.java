package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;

/** What a step came to. */
sealed interface StepResult {

  /** What a step leaves behind, written in the transaction of its completion. */
  @FunctionalInterface
  interface Output {
    void write(Tx tx);
  }

  /** Done; {@code detail} says in a few words to what. */
  record Done(String detail, Output output) implements StepResult {
    static Done of(String detail) {
      return new Done(detail, tx -> {});
    }
  }

  /** There is nothing to do, by configuration. */
  record Skipped(String why) implements StepResult {}

  /** It cannot be done, however often it is tried. */
  record Failed(String why) implements StepResult {}
}
