package io.convoke.engine.durable;

/** Something that a workflow has ordered and that will come, or fail. */
public interface Promise<T> {
  /**
   * Waits for it. While it waits the workflow costs nothing but a little memory.
   *
   * @throws ActivityFailedException when an activity or a sub-workflow failed for good
   * @throws WorkflowCancelledException when the workflow was cancelled meanwhile
   */
  T get();

  boolean done();
}
