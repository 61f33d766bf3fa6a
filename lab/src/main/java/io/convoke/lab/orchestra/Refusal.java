package io.convoke.lab.orchestra;

/** A request that the platform answers with an error. */
public final class Refusal extends RuntimeException {
  private final int status;
  private final String reason;
  private final boolean blamed;

  /** With the reason that the platform would give, beside its words. */
  public Refusal(int status, String reason, String message) {
    this(status, reason, message, true);
  }

  private Refusal(int status, String reason, String message, boolean blamed) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.blamed = blamed;
  }

  /** With words alone. */
  public Refusal(int status, String message) {
    this(status, "", message);
  }

  /** What a correct client may well meet, though the status says that the request is bad. */
  public static Refusal blameless(int status, String reason, String message) {
    return new Refusal(status, reason, message, false);
  }

  /** Whether a correct client would never have asked so. */
  boolean blames() {
    return blamed && (status == 400 || status == 405 || status == 415 || status == 422);
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
