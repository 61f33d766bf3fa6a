package io.convoke.server.launch;

/**
 * The launcher cannot be asked or told anything now. It says nothing about any bot: what was asked
 * for may have been done, and asking again later is safe. The message holds no secret.
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
