package io.convoke.server.launch;

/** A launch that failed permanently: no bot runs. The message holds no secret. */
public final class LaunchException extends Exception {
  /** With a sentence for the operator. */
  public LaunchException(String message) {
    super(message);
  }

  /** With the cause. */
  public LaunchException(String message, Throwable cause) {
    super(message, cause);
  }
}
