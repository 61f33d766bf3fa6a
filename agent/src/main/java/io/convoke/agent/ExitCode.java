package io.convoke.agent;

/** How a bot's process ends. */
public enum ExitCode {
  /** It left in good order: asked to, by a rule, or because the meeting was over. */
  LEFT(0),
  /** A bug, or something nobody thought of. */
  CRASHED(1),
  /** {@code BOT_CONFIG} is missing or makes no sense. */
  BAD_CONFIG(2),
  /** The meeting did not let it in. */
  NOT_ADMITTED(10),
  /** There is no such meeting. */
  NO_MEETING(11),
  /** The platform has been silent for too long. */
  PLATFORM_GONE(20),
  /** The control plane has been silent for too long. */
  CONTROL_PLANE_LOST(21),
  /** The control plane said that this launch is over. */
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
