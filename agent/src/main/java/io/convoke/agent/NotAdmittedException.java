package io.convoke.agent;

/** The bot was not admitted. */
public final class NotAdmittedException extends BotFailure {
  /** With {@code waiting_room_timeout}, {@code admission_denied} or another stable code. */
  public NotAdmittedException(String reason) {
    super(ExitCode.NOT_ADMITTED, reason);
  }
}
