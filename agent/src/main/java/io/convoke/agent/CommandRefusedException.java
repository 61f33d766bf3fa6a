package io.convoke.agent;

/** The bot cannot do what it was told; the reason is shown to the user. */
public final class CommandRefusedException extends Exception {
  /** With the reason, in plain words. */
  public CommandRefusedException(String reason) {
    super(reason);
  }

  /** The reason. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
