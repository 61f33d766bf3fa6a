package io.convoke.lab.orchestra;

/** A request that the platform answers with an error. */
public final class Refusal extends RuntimeException {
  private final int status;
  private final String reason;

  /** With the reason that the platform would give, beside its words. */
  public Refusal(int status, String reason, String message) {
    super(message);
    this.status = status;
    this.reason = reason;
  }

  /** With words alone. */
  public Refusal(int status, String message) {
    this(status, "", message);
  }

  public int status() {
    return status;
  }

  public String reason() {
    return reason;
  }

  /** The words. */
  public String words() {
    return String.valueOf(getMessage());
  }
}
