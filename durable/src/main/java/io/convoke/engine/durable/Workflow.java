package io.convoke.engine.durable;

/**
 * The code of a workflow. It may wait, loop and branch as it likes, but everything that could
 * differ from run to run comes from the context: time, chance, ids, and the world through
 * activities. After a crash the code runs again from its beginning and is given the same answers.
 */
@FunctionalInterface
public interface Workflow<I, O> {
  O run(WorkflowContext context, I input) throws Exception;
}
