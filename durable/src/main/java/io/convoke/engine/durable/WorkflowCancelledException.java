package io.convoke.engine.durable;

/**
 * Thrown once by the call in which a cancelled workflow waits. The workflow may clean up, also with
 * activities, before it ends; a repeated request does not cancel that.
 */
public final class WorkflowCancelledException extends RuntimeException {
  public WorkflowCancelledException(String reason) {
    super(reason);
  }
}
