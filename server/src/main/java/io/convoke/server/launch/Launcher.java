package io.convoke.server.launch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One way to run bots. All calls may block for seconds and none is made inside a database
 * transaction.
 *
 * <p>A handle is the launcher's own name of a running bot ({@code meetings.bot_container_id}); it
 * stays valid over a restart of the control plane.
 */
public interface Launcher extends AutoCloseable {

  /**
   * Starts a bot, or finds the one that an earlier, interrupted call started for the same container
   * name: calling again never makes a second one.
   *
   * @return the handle
   * @throws LaunchException when there is no bot and this launch will not bring one
   * @throws LauncherUnavailable when it cannot be told whether there is one; ask again later
   */
  String launch(LaunchSpec spec) throws LaunchException;

  /** What the launcher knows of a bot right now. */
  Probe probe(String handle);

  /**
   * Asks the bot to end (SIGTERM) and ends it (SIGKILL) when the grace is over. Returns what is
   * true then.
   */
  Probe stop(String handle, Duration grace);

  /** Ends the bot at once. Returns what is true then. */
  Probe kill(String handle);

  /**
   * Every bot of ours that runs, whoever launched it.
   *
   * @throws LauncherUnavailable when nobody can say
   */
  List<Running> list();

  /**
   * What is left to read of a bot: why it ended, where the launcher knows more than an exit code,
   * and the last it printed. Never fails: what cannot be read is not there.
   */
  default Remains remains(String handle) {
    return Remains.NONE;
  }

  /**
   * Tells the listener of every bot that ends, as soon as it is noticed; once per bot, on a thread
   * of the launcher.
   */
  void onExit(Consumer<Exit> listener);

  /** Forgets the listener and the launcher's own resources. The bots go on. */
  @Override
  void close();

  /** A bot that runs. */
  record Running(String handle, String containerName) {}

  /** A bot that has ended, with its exit code where the launcher can know it. */
  record Exit(String handle, String containerName, Optional<Integer> exitCode) {}

  /**
   * What a bot leaves behind.
   *
   * @param reason a stable word for how it ended, such as {@link #OUT_OF_MEMORY}
   * @param lastLines what it printed last, oldest first, at most {@link #LINES_MAX} lines; it may
   *     hold whatever the bot printed
   */
  record Remains(Optional<String> reason, List<String> lastLines) {
    /** Nothing. */
    public static final Remains NONE = new Remains(Optional.empty(), List.of());

    /** The bot needed more memory than it was given. */
    public static final String OUT_OF_MEMORY = "out_of_memory";

    /** The machine or its platform ended it. */
    public static final String NODE_LOST = "node_lost";

    public static final int LINES_MAX = 20;
    private static final int LINE_LENGTH_MAX = 300;

    /** Of everything that was printed, the end, each line within its bound. */
    public static Remains of(Optional<String> reason, String printed) {
      List<String> lines = printed.lines().toList();
      return new Remains(
          reason,
          lines.subList(Math.max(0, lines.size() - LINES_MAX), lines.size()).stream()
              .map(line -> line.substring(0, Math.min(line.length(), LINE_LENGTH_MAX)))
              .toList());
    }
  }

  /** Evidence about one bot. */
  sealed interface Probe {
    /** It runs. */
    record Alive() implements Probe {}

    /** It ran and has ended. */
    record Gone(Optional<Integer> exitCode) implements Probe {}

    /** The launcher has never heard of this handle, or no longer remembers it. */
    record Unknown() implements Probe {}

    /** The launcher itself cannot be asked: this says nothing about the bot. */
    record Unreachable(String why) implements Probe {}
  }
}
