package io.convoke.server.launch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs bots on one kind of platform. All calls may block for seconds and none is made inside a
 * database transaction.
 *
 * <p>A handle is the launcher's own name of a running bot ({@code meetings.bot_container_id}); it
 * stays valid over a restart of the control plane.
 */
public interface Launcher extends AutoCloseable {

  /**
   * Starts a bot, or finds the one that an earlier, interrupted call started for the same container
   * name on the same platform: calling again never makes a second one there.
   *
   * @return the handle
   * @throws LaunchException when the launch has failed and no bot runs
   * @throws LauncherUnavailable when the outcome is unknown; retry later
   */
  String launch(LaunchSpec spec) throws LaunchException;

  /**
   * Whether two handles name the same bot. Servers may write the handle of one bot differently; two
   * platforms that know nothing of each other may run two bots of one container name.
   *
   * @param handle of a bot of this launcher's
   */
  default boolean sameBot(String other, String handle) {
    return other.equals(handle);
  }

  /**
   * Kills a bot of this launcher's while another one of the same name runs on, which may be
   * elsewhere; false if it had ended.
   */
  default boolean killSecond(String handle) {
    return kill(handle) instanceof Probe.Gone;
  }

  /** The current state of a bot. */
  Probe probe(String handle);

  /** Sends SIGTERM, then SIGKILL after the grace period. Returns the state after that. */
  Probe stop(String handle, Duration grace);

  /** Kills the bot at once. Returns the state after that. */
  Probe kill(String handle);

  /**
   * Every running bot of this installation, also those launched by other nodes.
   *
   * @throws LauncherUnavailable when the platform cannot be queried
   */
  List<RunningBot> list();

  /**
   * The remains of a bot: the reason of its exit, where the platform knows more than an exit code,
   * and its last output. Never fails: unreadable parts are absent.
   */
  default BotExitDetails remains(String handle) {
    return BotExitDetails.NONE;
  }

  /**
   * What the operator's template puts into the environment of every bot, without the names: any of
   * it may be a secret.
   */
  default List<String> templateValues() {
    return List.of();
  }

  /** Calls the listener once for each bot that exits, on a thread of the launcher. */
  void onExit(Consumer<BotExit> listener);

  /** Removes the listener and frees the launcher's resources. The bots keep running. */
  @Override
  void close();

  /**
   * A bot that runs.
   *
   * @param unfinished whether its launch may lack a part, so that only another {@link #launch} for
   *     the same name makes sure of it
   */
  record RunningBot(String handle, String containerName, boolean unfinished) {
    /** A bot whose launch is complete. */
    public RunningBot(String handle, String containerName) {
      this(handle, containerName, false);
    }
  }

  /** An exited bot, with its exit code where known. */
  record BotExit(String handle, String containerName, Optional<Integer> exitCode) {}

  /**
   * The remains of a bot.
   *
   * @param reason a stable word for how it ended, such as {@link #OUT_OF_MEMORY}
   * @param lastLines its last output, oldest first, at most {@link #LINES_MAX} lines, whole and
   *     unredacted
   */
  record BotExitDetails(Optional<String> reason, List<String> lastLines) {
    /** Nothing. */
    public static final BotExitDetails NONE = new BotExitDetails(Optional.empty(), List.of());

    /** The bot needed more memory than it was given. */
    public static final String OUT_OF_MEMORY = "out_of_memory";

    /** The machine or its platform ended it. */
    public static final String NODE_LOST = "node_lost";

    public static final int LINES_MAX = 20;

    /** The last lines of the output. */
    public static BotExitDetails of(Optional<String> reason, String printed) {
      List<String> lines = printed.lines().toList();
      return new BotExitDetails(
          reason, lines.subList(Math.max(0, lines.size() - LINES_MAX), lines.size()));
    }
  }

  /** Evidence about one bot. */
  sealed interface Probe {
    /** It runs. */
    record Alive() implements Probe {}

    /** It ran and has ended. */
    record Gone(Optional<Integer> exitCode) implements Probe {}

    /** The platform does not know this handle, or no longer does. */
    record Unknown() implements Probe {}

    /** The platform did not answer: the state of the bot is unknown. */
    record Unreachable(String why) implements Probe {}
  }
}
