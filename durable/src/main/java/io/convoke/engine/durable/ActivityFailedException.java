package io.convoke.engine.durable;

/** An activity or a sub-workflow failed for good; the message is the last attempt's. */
public final class ActivityFailedException extends RuntimeException {
  public ActivityFailedException(String message) {
    super(message);
  }
}
