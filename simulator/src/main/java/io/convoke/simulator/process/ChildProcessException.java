package io.convoke.simulator.process;

/** A child process could not be started, reached or ended; the message is for the operator. */
public final class ChildProcessException extends RuntimeException {
  public ChildProcessException(String message) {
    super(message);
  }

  public ChildProcessException(String message, Throwable cause) {
    super(message, cause);
  }
}
