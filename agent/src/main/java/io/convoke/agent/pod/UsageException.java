package io.convoke.agent.pod;

/** A pod that cannot be started as it was asked for: one fault a line, exit code 2. */
public final class UsageException extends RuntimeException {
  public UsageException(String message) {
    super(message);
  }
}
