package io.convoke.engine.durable;

/** What whoever waits for a workflow is told when it failed. */
public final class WorkflowFailed extends RuntimeException {
  public WorkflowFailed(String error) {
    super(error);
  }
}
