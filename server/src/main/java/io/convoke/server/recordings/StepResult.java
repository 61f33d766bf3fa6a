package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;

/** The result of a step. */
sealed interface StepResult {

  /** The output of a step, written in the transaction of its completion. */
  @FunctionalInterface
  interface Output {
    void write(Tx tx);
  }

  /** Done; {@code detail} describes the result in a few words. */
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
