package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;

/** The work of one step. Idempotent. */
interface StepHandler {
  StepName name();

  /** Whether the configuration asks for this step. */
  default boolean wanted() {
    return true;
  }

  /**
   * Runs the step. Everything that it writes itself can be found or replaced by a later attempt;
   * the caller commits the result.
   *
   * @throws Exception when a retry may succeed
   */
  StepResult run(StepClaim claim, ActivityContext context) throws Exception;
}
