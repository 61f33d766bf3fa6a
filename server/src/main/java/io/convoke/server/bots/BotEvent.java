package io.convoke.server.bots;

import java.util.Optional;

/**
 * The events of a bot. The bot reports the first six itself; the server detects the others. A
 * user's stop request is no event: it is part of the state ({@link BotState#stopRequested()}).
 */
public sealed interface BotEvent {

  /** The bot's process runs and has found us. */
  record BotStarted() implements BotEvent {}

  /** The bot waits for admission to the meeting. */
  record BotAwaitingAdmission() implements BotEvent {}

  /** The bot was let into the meeting. */
  record BotJoined() implements BotEvent {}

  /** The bot is alive. */
  record BotHeartbeat() implements BotEvent {}

  /** The bot has begun to leave. */
  record BotLeaving(Optional<String> reason) implements BotEvent {}

  /** The bot reports its exit; its last call. */
  record BotExited(int exitCode, Optional<String> reason) implements BotEvent {}

  /**
   * There is no bot, and this launch will not bring one: {@code start_failed}, {@code
   * bot_limit_reached}.
   */
  record LaunchFailed(String reason) implements BotEvent {}

  /**
   * The launch worker found a stop request before the launch: there is no bot, and will be none.
   */
  record LaunchCancelled() implements BotEvent {}

  /**
   * The launcher confirms that the bot's process has ended, with its exit code and reason where
   * known, such as {@code out_of_memory}.
   */
  record BotProcessEnded(Optional<Integer> exitCode, Optional<String> reason) implements BotEvent {
    BotProcessEnded(Optional<Integer> exitCode) {
      this(exitCode, Optional.empty());
    }
  }

  /** We ended a bot that did not obey a stop in time; its end is confirmed. */
  record BotKilled() implements BotEvent {}

  /**
   * The deadline of the state has passed and no living bot stands behind the row.
   *
   * @param found what was found behind the row: {@code no_launch}, {@code gone}, {@code unknown} to
   *     the launcher, {@code running} and ended by us, {@code leaving} after a stop, or {@code
   *     abandoned} because its host is gone for good
   * @param reason what was overdue, where the row no longer shows it because the bot moved on its
   *     way out
   * @param exitCode of its process, where known
   */
  record DeadlinePassed(String found, Optional<String> reason, Optional<Integer> exitCode)
      implements BotEvent {
    DeadlinePassed(String found) {
      this(found, Optional.empty(), Optional.empty());
    }

    /** No launcher can reach the bot any more. */
    static DeadlinePassed abandoned() {
      return new DeadlinePassed(
          "abandoned", Optional.of(OutcomeClassifier.HOST_LOST), Optional.empty());
    }
  }

  /**
   * The same event of a bot that a rule of the server has asked to leave: it leaves for the rule's
   * reason, unless it failed for one of its own.
   */
  default BotEvent because(String reason) {
    Optional<String> rule = Optional.of(reason);
    return switch (this) {
      case BotLeaving _ -> new BotLeaving(rule);
      case BotExited(int exitCode, Optional<String> own) ->
          new BotExited(exitCode, exitCode == 0 ? rule : own.or(() -> rule));
      case BotProcessEnded(Optional<Integer> exitCode, Optional<String> own) ->
          new BotProcessEnded(exitCode, own.or(() -> rule));
      case DeadlinePassed(String found, Optional<String> own, Optional<Integer> exitCode) ->
          new DeadlinePassed(found, own.or(() -> rule), exitCode);
      case BotStarted _,
          BotAwaitingAdmission _,
          BotJoined _,
          BotHeartbeat _,
          LaunchFailed _,
          LaunchCancelled _,
          BotKilled _ ->
          this;
    };
  }

  /** The name of the event in the table, the diagram and the journal. */
  default String label() {
    return switch (this) {
      case BotStarted _ -> "started";
      case BotAwaitingAdmission _ -> "awaiting admission";
      case BotJoined _ -> "joined";
      case BotHeartbeat _ -> "heartbeat";
      case BotLeaving _ -> "leaving";
      case BotExited botExited -> botExited.exitCode() == 0 ? "exited 0" : "exited with an error";
      case LaunchFailed _ -> "launch failed";
      case LaunchCancelled _ -> "stopped before launch";
      case BotProcessEnded botProcessEnded ->
          botProcessEnded.exitCode().filter(code -> code == 0).isPresent()
              ? "process ended 0"
              : "process gone";
      case BotKilled _ -> "killed after unheeded stop";
      case DeadlinePassed _ -> "overdue";
    };
  }
}
