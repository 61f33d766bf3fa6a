package io.convoke.agent;

/** How a bot's process ends. */
public enum ExitCode {
  /** It left in order: by a command, by a rule, or because the meeting ended. */
  LEFT(0),
  /** An unexpected error. */
  CRASHED(1),
  /** {@code BOT_CONFIG} is missing or invalid. */
  BAD_CONFIG(2),
  /** It was not admitted. */
  NOT_ADMITTED(10),
  /** There is no such meeting. */
  NO_MEETING(11),
  /** The platform was unreachable for too long. */
  PLATFORM_GONE(20),
  /** The control plane was unreachable for too long. */
  CONTROL_PLANE_LOST(21),
  /** The control plane answered that this launch is over. */
  TOLD_TO_GO(22);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  /** The number. */
  public int code() {
    return code;
  }
}
