package io.convoke.cli;

/** A command that cannot be done, with what to say and the exit code. */
final class CommandFailure extends RuntimeException {
  private final int exitCode;

  CommandFailure(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }
}
