package io.convoke.lab.process;

/** A program of ours did not start. */
public final class ProcessFailure extends RuntimeException {
  ProcessFailure(String message) {
    super(message);
  }

  ProcessFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
