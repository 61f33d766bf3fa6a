package io.convoke.fakes.orchestrator;

/** A request that the platform answers with an error. */
public final class FakeApiError extends RuntimeException {
  private final int status;
  private final String reason;
  private final boolean blamed;

  /** With the platform's reason beside the message. */
  public FakeApiError(int status, String reason, String message) {
    this(status, reason, message, true);
  }

  private FakeApiError(int status, String reason, String message, boolean blamed) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.blamed = blamed;
  }

  /** With a message alone. */
  public FakeApiError(int status, String message) {
    this(status, "", message);
  }

  /** An error that a correct client may meet although its status says that the request is bad. */
  public static FakeApiError blameless(int status, String reason, String message) {
    return new FakeApiError(status, reason, message, false);
  }

  /** Whether a correct client never causes this error. */
  boolean blames() {
    return blamed && (status == 400 || status == 405 || status == 415 || status == 422);
  }

  public int status() {
    return status;
  }

  public String reason() {
    return reason;
  }

  /** The message. */
  public String message() {
    return String.valueOf(getMessage());
  }
}
