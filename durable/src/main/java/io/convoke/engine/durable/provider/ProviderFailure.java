package io.convoke.engine.durable.provider;

/** A fault of the store during one operation. */
public final class ProviderFailure extends RuntimeException {
  private final String operation;
  private final boolean retryable;

  public ProviderFailure(String operation, boolean retryable, Throwable cause) {
    super(operation + ": " + cause.getMessage(), cause);
    this.operation = operation;
    this.retryable = retryable;
  }

  public String operation() {
    return operation;
  }

  /** Whether a retry may succeed: store unreachable, deadlock, serialization failure. */
  public boolean retryable() {
    return retryable;
  }
}
