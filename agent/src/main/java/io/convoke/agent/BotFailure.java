package io.convoke.agent;

/** The bot cannot go on: an exit code, and a reason that {@code data.outcome} will show. */
public class BotFailure extends Exception {
  private final ExitCode exitCode;
  private final String reason;

  /** With a stable code as the reason. */
  public BotFailure(ExitCode exitCode, String reason) {
    super(reason);
    this.exitCode = exitCode;
    this.reason = reason;
  }

  /** How the process should end. */
  public ExitCode exitCode() {
    return exitCode;
  }

  /** The stable code. */
  public String reason() {
    return reason;
  }
}
