package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;

/** What one step does. It may be done more than once and has its effect once. */
interface StepHandler {
  StepName name();

  /** Whether there is anything to do, by configuration. */
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
