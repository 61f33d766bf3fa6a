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

  /** Every bot of ours that runs, whoever launched it. */
  List<Running> list();

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
