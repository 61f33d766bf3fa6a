package io.convoke.engine.durable;

/** What whoever waits for a workflow is told when it failed. */
public final class WorkflowFailedException extends RuntimeException {
  public WorkflowFailedException(String error) {
    super(error);
  }
}
