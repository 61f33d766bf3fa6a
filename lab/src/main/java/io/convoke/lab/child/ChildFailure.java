package io.convoke.lab.child;

/** A child process that could not be started, reached or ended, in words for the operator. */
public final class ChildFailure extends RuntimeException {
  public ChildFailure(String message) {
    super(message);
  }

  public ChildFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
