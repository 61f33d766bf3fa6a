package io.convoke.agent;

/** The bot was not let in. */
public final class NotAdmitted extends BotFailure {
  /** With {@code waiting_room_timeout}, {@code admission_denied} or another stable word. */
  public NotAdmitted(String reason) {
    super(ExitCode.NOT_ADMITTED, reason);
  }
}
