package io.convoke.engine.durable;

/**
 * Thrown once into a workflow that was cancelled, where it waits. It may clean up, with activities
 * too, before it ends.
 */
public final class WorkflowCancelledException extends RuntimeException {
  public WorkflowCancelledException(String reason) {
    super(reason);
  }
}
