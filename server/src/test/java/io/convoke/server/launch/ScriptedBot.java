package io.convoke.server.launch;

/**
 * A bot that does what its {@code BOT_CONFIG} says, in plain shell, so that a process, a container
 * and the fakes' workloads run the same one.
 */
public enum ScriptedBot {
  /** Runs until it is asked to end, then ends with 3. */
  POLITE,
  /** Ignores SIGTERM. */
  DEAF,
  /** Prints an error and exits with 7. */
  BROKEN,
  /** Allocates memory until it is stopped. */
  GREEDY;

  /** The script of all kinds; it reads the kind from {@code BOT_CONFIG}. */
  public static final String SCRIPT =
      """
      case "$BOT_CONFIG" in
        *POLITE*) trap 'exit 3' TERM; echo up; while :; do sleep 0.05; done ;;
        *DEAF*) trap '' TERM; echo up; while :; do sleep 0.05; done ;;
        *BROKEN*) echo 'no door here'; exit 7 ;;
        *GREEDY*) echo up; x=x; while :; do x=$x$x; done ;;
      esac
      """;

  /** The launch of such a bot, with a secret that must never be seen. */
  public LaunchSpec spec(long meetingId) {
    return new LaunchSpec(
        meetingId,
        1,
        "c0ffee00-0000-4000-8000-" + String.format("%012d", meetingId),
        "convoke-bot-" + meetingId + "-1-c0ffee00",
        "{\"act\":\"" + name() + "\",\"token\":\"" + SECRET + "\"}");
  }

  /** The secret that no command line may contain. */
  public static final String SECRET = "cvb_never_to_be_seen";
}
