package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;

/** What one step does. It may be done more than once and has its effect once. */
interface StepWork {
  StepName name();

  /** Whether there is anything to do, by configuration. */
  default boolean wanted() {
    return true;
  }

  /**
   * Does it. Writes nothing of its own that a later attempt could not find or replace; what it came
   * to is committed by the caller.
   *
   * @throws Exception when it may work the next time
   */
  StepResult run(StepClaim claim, ActivityContext context) throws Exception;
}
