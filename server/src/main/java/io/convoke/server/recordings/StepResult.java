package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;

/** The result of a step. */
sealed interface StepResult {

  /** The output of a step, written in the transaction of its completion. */
  @FunctionalInterface
  interface StepOutputWriter {
    void write(Tx tx);
  }

  /** Done; {@code detail} describes the result in a few words. */
  record StepDone(String detail, StepOutputWriter output) implements StepResult {
    static StepDone of(String detail) {
      return new StepDone(detail, tx -> {});
    }
  }

  /** There is nothing to do, by configuration. */
  record StepSkipped(String why) implements StepResult {}

  /** It cannot be done, however often it is tried. */
  record StepFailedForGood(String why) implements StepResult {}
}
