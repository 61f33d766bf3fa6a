package io.convoke.engine.durable;

/**
 * Thrown by an activity or a step to fail for good, whatever its {@link RetryPolicy} allows: for
 * errors that another attempt cannot mend, such as a rejected input. With a cause, {@link
 * ActivityFailedException#errorType()} names the class of the cause.
 */
public final class NonRetryableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public NonRetryableException(String message) {
    super(message);
  }

  public NonRetryableException(String message, Throwable cause) {
    super(message, cause);
  }
}
