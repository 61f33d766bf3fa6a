package io.convoke.server.bots;

import java.util.Optional;

/**
 * What can happen to a bot. The first five are what the bot reports of itself; the rest is what we
 * find out about it. A user's wish to stop is no event: it is part of the state ({@link
 * BotState#stopRequested()}).
 */
public sealed interface BotEvent {

  /** The bot's process runs and has found us. */
  record Started() implements BotEvent {}

  /** The bot was let into the meeting. */
  record Joined() implements BotEvent {}

  /** The bot is alive. */
  record Beat() implements BotEvent {}

  /** The bot has begun to leave. */
  record Leaving(Optional<String> reason) implements BotEvent {}

  /** The bot says goodbye; the last thing it reports. */
  record Exited(int exitCode, Optional<String> reason) implements BotEvent {}

  /**
   * There is no bot, and this launch will not bring one: {@code start_failed}, {@code
   * bot_limit_reached}.
   */
  record LaunchFailed(String reason) implements BotEvent {}

  /**
   * The row's owner found the wish to stop before anything was launched: there is no bot, and will
   * be none.
   */
  record Cancelled() implements BotEvent {}

  /**
   * The launcher confirms that the bot's process has ended, with its exit code where it can tell,
   * and the reason where it knows one, such as {@code out_of_memory}.
   */
  record Vanished(Optional<Integer> exitCode, Optional<String> reason) implements BotEvent {
    Vanished(Optional<Integer> exitCode) {
      this(exitCode, Optional.empty());
    }
  }

  /** We ended a bot that did not obey a stop in time; its end is confirmed. */
  record Killed() implements BotEvent {}

  /**
   * The deadline of the state has passed and no living bot stands behind the row.
   *
   * @param found what was found behind the row: {@code no_launch}, {@code gone}, {@code unknown} to
   *     the launcher, {@code running} and ended by us, or {@code leaving} as we told it to
   * @param reason what was overdue, if the row tells it no more because the bot moved on its way
   *     out
   */
  record Overdue(String found, Optional<String> reason) implements BotEvent {
    Overdue(String found) {
      this(found, Optional.empty());
    }
  }

  /** The name of the event in the table, the diagram and the journal. */
  default String label() {
    return switch (this) {
      case Started _ -> "started";
      case Joined _ -> "joined";
      case Beat _ -> "heartbeat";
      case Leaving _ -> "leaving";
      case Exited exited -> exited.exitCode() == 0 ? "exited 0" : "exited with an error";
      case LaunchFailed _ -> "launch failed";
      case Cancelled _ -> "stopped before launch";
      case Vanished vanished ->
          vanished.exitCode().filter(code -> code == 0).isPresent()
              ? "process ended 0"
              : "process gone";
      case Killed _ -> "killed after unheeded stop";
      case Overdue _ -> "overdue";
    };
  }
}
