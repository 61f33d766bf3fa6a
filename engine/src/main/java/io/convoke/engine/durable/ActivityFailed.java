package io.convoke.engine.durable;

/** An activity or a sub-workflow failed for good; the message is the last attempt's. */
public final class ActivityFailed extends RuntimeException {
  public ActivityFailed(String message) {
    super(message);
  }
}
