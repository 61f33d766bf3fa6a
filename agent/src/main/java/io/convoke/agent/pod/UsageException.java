package io.convoke.agent.pod;

/** Invalid arguments or settings of a pod, one fault a line; exit code 2. */
public final class UsageException extends RuntimeException {
  public UsageException(String message) {
    super(message);
  }
}
