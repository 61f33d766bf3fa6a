package io.convoke.server.cli;

/** A command that cannot be carried out as it was given; one line, exit code 2. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
