package io.convoke.server.launch;

/**
 * The platform cannot be reached. The state of its bots is unknown: a request may have been carried
 * out, and repeating it is safe. The message holds no secret.
 */
public final class LauncherUnavailable extends RuntimeException {
  /** With a sentence for the operator. */
  public LauncherUnavailable(String message) {
    super(message);
  }

  /** With the cause. */
  public LauncherUnavailable(String message, Throwable cause) {
    super(message, cause);
  }
}
