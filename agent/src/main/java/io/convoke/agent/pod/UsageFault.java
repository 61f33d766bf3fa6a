package io.convoke.agent.pod;

/** A pod that cannot be started as it was asked for: one fault a line, exit code 2. */
public final class UsageFault extends RuntimeException {
  public UsageFault(String message) {
    super(message);
  }
}
