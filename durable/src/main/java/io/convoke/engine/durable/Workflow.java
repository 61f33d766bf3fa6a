package io.convoke.engine.durable;

/**
 * The code of a workflow. It may wait, loop and branch, but takes everything that could differ from
 * run to run from the context: time, randomness, ids, and side effects through activities. After a
 * crash the engine runs the code again from its beginning, with the same results.
 */
@FunctionalInterface
public interface Workflow<I, O> {
  O run(WorkflowContext context, I input) throws Exception;
}
