package io.convoke.engine.durable;

/** The future result of a command of a workflow. */
public interface Promise<T> {
  /**
   * Waits for the result. A waiting workflow occupies no thread of the database or a pool.
   *
   * @throws ActivityFailedException when an activity or a sub-workflow failed for good
   * @throws WorkflowCancelledException when the workflow was cancelled meanwhile
   */
  T get();

  boolean done();
}
