package io.convoke.engine.durable;

/** The awaited workflow failed; the message is its error. */
public final class WorkflowFailedException extends RuntimeException {
  public WorkflowFailedException(String error) {
    super(error);
  }
}
