package io.convoke.server.bots;

import io.convoke.server.bots.BotTransitions.Guard;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends bots that do not end by themselves. The order is always the same: ask the launcher, stop,
 * kill, have the end confirmed, and only then move the row to its terminal state, so that no bot
 * outlives its row. An unreachable launcher changes nothing: it raises an alarm and is no evidence.
 */
final class BotEnding {
  private static final Logger log = LoggerFactory.getLogger(BotEnding.class);

  private final BotStore store;
  private final BotTransitions transitions;
  private final Launcher launcher;
  private final BotTerms terms;
  private final Deadlines deadlines;

  BotEnding(BotStore store, BotTransitions transitions, Launcher launcher, BotTerms terms) {
    this.store = store;
    this.transitions = transitions;
    this.launcher = launcher;
    this.terms = terms;
    this.deadlines = new Deadlines(terms);
  }

  /** What ending a bot came to. */
  enum Result {
    /** The row is terminal, or was already. */
    ENDED,
    /** The bot has called meanwhile. */
    ALIVE_AGAIN,
    /** The launcher was unreachable. */
    UNREACHABLE
  }

  /**
   * A stop for a bot that has not called yet: it receives no commands, so its process gets the
   * signal.
   */
  void stopBooting(BotRow row) {
    if (row.status() == MeetingStatus.RESERVED && row.handle().isPresent()) {
      Probe probe = launcher.stop(row.handle().get(), terms.killGrace());
      if (probe instanceof Probe.Gone(var exitCode)) {
        var _ =
            transitions.apply(
                row.id(), Guard.launchOf(row), new BotEvent.Vanished(exitCode), "launcher");
      }
    }
  }

  /** A stop that no channel could deliver: SIGTERM lets the bot leave in order. */
  void stopUntold(BotRow row) {
    row.handle()
        .filter(_ -> !row.status().terminal())
        .ifPresent(
            handle -> {
              if (launcher.stop(handle, terms.killGrace()) instanceof Probe.Gone(var exitCode)) {
                var _ =
                    transitions.apply(
                        row.id(), Guard.launchOf(row), new BotEvent.Vanished(exitCode), "launcher");
              }
            });
  }

  /** Checks whether the bot obeyed a stop in time, and ends it if not. */
  void checkStop(long meetingId) {
    Optional<BotRow> row = store.find(meetingId);
    if (row.isPresent() && stopOverdue(row.get(), store.now())) {
      Result _ = end(row.get(), "stop");
    }
  }

  /**
   * Ends a bot whose stop was asked for, without waiting until that is overdue. One without a
   * process is left to the launch worker, which checks for the stop.
   */
  void kill(long meetingId) {
    Optional<BotRow> wanted =
        store
            .find(meetingId)
            .filter(row -> row.stopRequested() && !row.status().terminal())
            .filter(row -> row.handle().isPresent());
    if (wanted.isPresent()) {
      Result _ = end(wanted.get(), "kill");
    }
  }

  /** Ends a bot whose state, or whose stop, is overdue. */
  Result end(BotRow row, String actor) {
    if (row.handle().isEmpty()) {
      return settle(row, new BotEvent.Overdue("no_launch"), new Guard.Since(row), actor);
    }
    String handle = row.handle().get();
    return switch (launcher.probe(handle)) {
      case Probe.Alive _ when spokenFor(row) ->
          settle(row, new BotEvent.Beat(), Guard.launchOf(row), "launcher");
      case Probe.Alive _ -> endAlive(row, handle, actor);
      case Probe.Gone(var exitCode) ->
          settle(
              row,
              row.stopRequested() ? new BotEvent.Vanished(exitCode) : new BotEvent.Overdue("gone"),
              new Guard.Since(row),
              actor);
      case Probe.Unknown _ ->
          settle(row, new BotEvent.Overdue("unknown"), new Guard.Since(row), actor);
      case Probe.Unreachable(String why) -> {
        log.atWarn()
            .addKeyValue("meeting", row.id())
            .addKeyValue("status", row.status().word())
            .log("a bot is overdue and its launcher is unreachable: {}", why);
        yield Result.UNREACHABLE;
      }
    };
  }

  /**
   * Ends whatever still runs for a terminal row, and returns what it found. @throws
   * LauncherUnavailable when the launcher is unreachable
   */
  String remove(long meetingId) {
    Optional<BotRow> row = store.find(meetingId).filter(it -> it.status().terminal());
    Optional<String> handle = row.flatMap(BotRow::handle);
    if (handle.isEmpty()) {
      return "none";
    }
    return switch (launcher.probe(handle.get())) {
      case Probe.Gone _ -> "gone";
      case Probe.Unknown _ -> "unknown";
      case Probe.Unreachable(String why) -> throw new LauncherUnavailable(why);
      case Probe.Alive _ ->
          switch (launcher.stop(handle.get(), terms.killGrace())) {
            case Probe.Gone _, Probe.Unknown _ -> "ended";
            case Probe.Alive _ -> throw new LauncherUnavailable("the bot survived being killed");
            case Probe.Unreachable(String why) -> throw new LauncherUnavailable(why);
          };
    };
  }

  /** A running bot whose single, unrepeated {@code started} call was lost. */
  void startedUnheard(BotRow row) {
    Result _ = settle(row, new BotEvent.Started(), Guard.launchOf(row), "launcher");
  }

  /** Ends a process that no row stands behind. */
  void endOrphan(String handle, String containerName) {
    log.atWarn()
        .addKeyValue("bot", containerName)
        .log("a bot runs without a live row and is ended");
    Probe _ = launcher.stop(handle, terms.killGrace());
  }

  /** The event that the end of a process stands for, now. */
  BotEvent meaningOf(BotRow row, Optional<Integer> exitCode, Optional<String> reason, Instant now) {
    if (row.status() == MeetingStatus.RESERVED
        && !row.stopRequested()
        && exitCode.filter(code -> code == 126 || code == 127).isPresent()) {
      return new BotEvent.LaunchFailed("start_failed");
    }
    if (stopOverdue(row, now)) {
      return new BotEvent.Killed();
    }
    boolean overdue = deadlines.of(row).filter(end -> !end.isAfter(now)).isPresent();
    return overdue ? new BotEvent.Overdue("gone") : new BotEvent.Vanished(exitCode, reason);
  }

  private boolean stopOverdue(BotRow row, Instant now) {
    return deadlines.stopEnd(row).filter(end -> !end.isAfter(now)).isPresent();
  }

  /** A bot of a protocol without heartbeats counts as alive while its launcher sees it run. */
  private static boolean spokenFor(BotRow row) {
    return row.protocol() == BotProtocol.VEXA
        && row.status() == MeetingStatus.ACTIVE
        && !row.stopRequested();
  }

  private Result endAlive(BotRow row, String handle, String actor) {
    Optional<BotRow> fresh = store.find(row.id());
    if (fresh.isEmpty() || fresh.get().status().terminal()) {
      return Result.ENDED;
    }
    if (!row.stopRequested() && !store.ending(row, Outcomes.overdue(row.state()))) {
      return Result.ALIVE_AGAIN;
    }
    return switch (launcher.stop(handle, terms.killGrace())) {
      case Probe.Alive _ -> {
        log.atError().addKeyValue("meeting", row.id()).log("a bot survived being killed");
        yield Result.UNREACHABLE;
      }
      case Probe.Gone _, Probe.Unknown _ ->
          settle(
              row,
              row.stopRequested() ? new BotEvent.Killed() : new BotEvent.Overdue("running"),
              Guard.launchOf(row),
              actor);
      case Probe.Unreachable _ -> Result.UNREACHABLE;
    };
  }

  private Result settle(BotRow row, BotEvent event, Guard guard, String actor) {
    return switch (transitions.apply(row.id(), guard, event, actor)) {
      case BotTransitions.Applied.Moved _,
          BotTransitions.Applied.Missing _,
          BotTransitions.Applied.Refused _ ->
          Result.ENDED;
      case BotTransitions.Applied.Unchanged _, BotTransitions.Applied.Stale _ -> Result.ALIVE_AGAIN;
    };
  }
}
