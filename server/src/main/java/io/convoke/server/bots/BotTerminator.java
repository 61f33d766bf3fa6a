package io.convoke.server.bots;

import io.convoke.server.bots.BotTransitions.TransitionGuard;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends bots that do not end by themselves. The order is always the same: ask the launcher, stop,
 * kill, have the end confirmed, and only then move the row to its terminal state, so that no bot
 * outlives its row. An unreachable launcher changes nothing: it raises an alarm and is no evidence.
 *
 * <p>A bot of Vexa's is told to leave before it is stopped, and given the time to: up to release
 * 0.10 its entrypoint is a shell that keeps signals from it, so that a stop is a kill.
 */
final class BotTerminator {
  private static final Logger log = LoggerFactory.getLogger(BotTerminator.class);

  /** Longer than Vexa's image takes to leave a meeting and to upload the rest of its recording. */
  private static final Duration LEAVE_MAX = Duration.ofSeconds(30);

  private final BotStore store;
  private final BotTransitions transitions;
  private final Launcher launcher;
  private final BotsConfig terms;
  private final BotDeadlines botDeadlines;
  private final BotCommandQueue commands;
  private final BotExits exits;

  BotTerminator(
      BotStore store,
      BotTransitions transitions,
      Launcher launcher,
      BotsConfig terms,
      BotCommandQueue commands,
      BotExits exits) {
    this.commands = commands;
    this.exits = exits;
    this.store = store;
    this.transitions = transitions;
    this.launcher = launcher;
    this.terms = terms;
    this.botDeadlines = new BotDeadlines(terms);
  }

  /** The result of ending a bot. */
  enum TerminationResult {
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
      Probe probe = stop(row, row.handle().get());
      if (probe instanceof Probe.Gone(var exitCode)) {
        var _ =
            transitions.apply(
                row.id(),
                TransitionGuard.launchOf(row),
                new BotEvent.BotProcessEnded(exitCode),
                "launcher");
      }
    }
  }

  /** A stop without a channel to a bot that obeys signals. */
  void stopUntold(BotRow row) {
    row.handle()
        .filter(_ -> !row.status().terminal())
        .ifPresent(
            handle -> {
              if (launcher.stop(handle, LEAVE_MAX) instanceof Probe.Gone(var exitCode)) {
                var _ =
                    transitions.apply(
                        row.id(),
                        TransitionGuard.launchOf(row),
                        new BotEvent.BotProcessEnded(exitCode),
                        "launcher");
              }
            });
  }

  /** Checks whether the bot obeyed a stop, or a rule, in time, and ends it if not. */
  void checkStop(long meetingId) {
    Optional<BotRow> row = store.find(meetingId);
    if (row.isPresent() && leaveOverdue(row.get(), store.now())) {
      TerminationResult _ = end(row.get(), "stop", Optional.empty());
    }
  }

  /**
   * Ends a bot after a stop request, without waiting until that is overdue. One without a process
   * is left to the launch worker, which checks for the stop.
   */
  void kill(long meetingId) {
    Optional<BotRow> wanted =
        store
            .find(meetingId)
            .filter(row -> row.stopRequested() && !row.status().terminal())
            .filter(row -> row.handle().isPresent());
    if (wanted.isPresent()) {
      TerminationResult _ = end(wanted.get(), "kill", Optional.empty());
    }
  }

  /**
   * Ends a bot whose state, or whose stop, is overdue.
   *
   * @param upSince since when servers have been up without a gap: a bot is given up only for the
   *     time after that; empty: it is not given up
   */
  TerminationResult end(BotRow row, String actor, Optional<Instant> upSince) {
    if (row.handle().isEmpty()) {
      return settle(
          row,
          new BotEvent.DeadlinePassed("no_launch"),
          new TransitionGuard.UnchangedSinceGuard(row),
          actor);
    }
    String handle = row.handle().get();
    return switch (launcher.probe(handle)) {
      case Probe.Alive _ when spokenFor(row) ->
          settle(row, new BotEvent.BotHeartbeat(), TransitionGuard.launchOf(row), "launcher");
      case Probe.Alive _ -> endAlive(row, handle, actor);
      case Probe.Gone(var exitCode) ->
          settle(
              row,
              row.stopRequested()
                  ? new BotEvent.BotProcessEnded(exitCode)
                  : new BotEvent.DeadlinePassed("gone", Optional.empty(), exitCode),
              new TransitionGuard.UnchangedSinceGuard(row),
              actor);
      case Probe.Unknown _ ->
          settle(
              row,
              new BotEvent.DeadlinePassed("unknown"),
              new TransitionGuard.UnchangedSinceGuard(row),
              actor);
      case Probe.Unreachable(String why) when givenUp(row, upSince) -> {
        log.atError()
            .addKeyValue("meeting", row.id())
            .log("a bot is given up; its launcher has been out of reach for too long: {}", why);
        yield settle(
            row,
            BotEvent.DeadlinePassed.abandoned(),
            new TransitionGuard.UnchangedSinceGuard(row),
            actor);
      }
      case Probe.Unreachable(String why) -> {
        log.atWarn()
            .addKeyValue("meeting", row.id())
            .addKeyValue("status", row.status().wireName())
            .log("a bot is overdue and its launcher is unreachable: {}", why);
        yield TerminationResult.UNREACHABLE;
      }
    };
  }

  /**
   * Ends whatever still runs for a terminal row, and returns what it found.
   *
   * @throws LauncherUnavailable when the launcher is unreachable, unless the bot was given up for
   *     that
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
      case Probe.Unreachable _ when abandoned(row.get()) -> "abandoned";
      case Probe.Unreachable(String why) -> throw new LauncherUnavailable(why);
      case Probe.Alive _ ->
          switch (stop(row.get(), handle.get())) {
            case Probe.Gone _, Probe.Unknown _ -> "ended";
            case Probe.Alive _ -> throw new LauncherUnavailable("the bot survived being killed");
            case Probe.Unreachable(String why) -> throw new LauncherUnavailable(why);
          };
    };
  }

  /** A running bot whose single, unrepeated {@code started} call was lost. */
  void startedUnheard(BotRow row) {
    TerminationResult _ =
        settle(row, new BotEvent.BotStarted(), TransitionGuard.launchOf(row), "launcher");
  }

  /** Ends a process without a row. */
  void endOrphan(String handle, String containerName) {
    log.atWarn()
        .addKeyValue("bot", containerName)
        .log("a bot runs without a live row and is ended");
    Optional<BotRow> row =
        ContainerNames.meetingId(containerName)
            .flatMap(store::find)
            .filter(of -> of.containerName().equals(containerName));
    Probe _ = row.isPresent() ? stop(row.get(), handle) : launcher.stop(handle, terms.killGrace());
  }

  /** Whether the row has another bot than this one: two nodes have made its launch. */
  boolean isSecond(BotRow row, String handle) {
    return row.handle().filter(first -> !launcher.sameBot(first, handle)).isPresent();
  }

  /**
   * Kills a second bot of a launch. It is not asked to leave: it has the token of the row's bot, so
   * its reports would end the row.
   */
  void killSecond(String handle, String containerName) {
    if (launcher.killSecond(handle)) {
      log.atWarn().addKeyValue("bot", containerName).log("a second bot of a launch was killed");
    }
  }

  /** The event that the end of a process stands for, now. */
  BotEvent meaningOf(BotRow row, Optional<Integer> exitCode, Optional<String> reason, Instant now) {
    if (row.status() == MeetingStatus.RESERVED
        && !row.stopRequested()
        && exitCode.filter(code -> code == 126 || code == 127).isPresent()) {
      return new BotEvent.LaunchFailed("start_failed");
    }
    if (stopOverdue(row, now)) {
      return new BotEvent.BotKilled();
    }
    boolean overdue = botDeadlines.of(row).filter(end -> !end.isAfter(now)).isPresent();
    return overdue
        ? new BotEvent.DeadlinePassed("gone", Optional.empty(), exitCode)
        : new BotEvent.BotProcessEnded(exitCode, reason);
  }

  private boolean givenUp(BotRow row, Optional<Instant> upSince) {
    Optional<Instant> overdueSince =
        upSince.flatMap(up -> botDeadlines.of(row).map(end -> end.isAfter(up) ? end : up));
    return overdueSince.isPresent()
        && overdueSince.get().plus(terms.abandonAfter()).isBefore(store.now());
  }

  private static boolean abandoned(BotRow row) {
    return row.state()
        .outcome()
        .filter(outcome -> outcome.reason().equals(OutcomeClassifier.HOST_LOST))
        .isPresent();
  }

  private boolean leaveOverdue(BotRow row, Instant now) {
    return stopOverdue(row, now)
        || botDeadlines.ruleEnd(row).filter(end -> !end.isAfter(now)).isPresent();
  }

  private boolean stopOverdue(BotRow row, Instant now) {
    return botDeadlines.stopEnd(row).filter(end -> !end.isAfter(now)).isPresent();
  }

  /** A bot of a protocol without heartbeats counts as alive while its launcher sees it run. */
  private static boolean spokenFor(BotRow row) {
    return row.protocol() == BotProtocol.VEXA
        && row.status() == MeetingStatus.ACTIVE
        && !row.stopRequested()
        && row.endRequest().isEmpty();
  }

  private TerminationResult endAlive(BotRow row, String handle, String actor) {
    Optional<BotRow> fresh = store.find(row.id());
    if (fresh.isEmpty() || fresh.get().status().terminal()) {
      return TerminationResult.ENDED;
    }
    if (!row.stopRequested() && !store.ending(row, OutcomeClassifier.overdue(row))) {
      return TerminationResult.ALIVE_AGAIN;
    }
    return switch (stop(row, handle)) {
      case Probe.Alive _ -> {
        log.atError().addKeyValue("meeting", row.id()).log("a bot survived being killed");
        yield TerminationResult.UNREACHABLE;
      }
      case Probe.Gone _, Probe.Unknown _ ->
          settle(
              row,
              row.stopRequested()
                  ? new BotEvent.BotKilled()
                  : new BotEvent.DeadlinePassed("running"),
              TransitionGuard.launchOf(row),
              actor);
      case Probe.Unreachable _ -> TerminationResult.UNREACHABLE;
    };
  }

  /** Stops a process, a bot of Vexa's after it was told to leave and did not. */
  private Probe stop(BotRow row, String handle) {
    return switch (row.protocol()) {
      case CONVOKE -> launcher.stop(handle, terms.killGrace());
      case VEXA -> {
        try {
          exits.await(row.containerName(), LEAVE_MAX, () -> commands.publishLeave(row));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        yield switch (launcher.probe(handle)) {
          case Probe.Gone gone -> gone;
          case Probe.Alive _, Probe.Unknown _, Probe.Unreachable _ ->
              launcher.stop(handle, terms.vexa().closedSchema() ? LEAVE_MAX : terms.killGrace());
        };
      }
    };
  }

  private TerminationResult settle(
      BotRow row, BotEvent event, TransitionGuard transitionGuard, String actor) {
    return switch (transitions.apply(row.id(), transitionGuard, event, actor)) {
      case BotTransitions.BotTransitionResult.BotMoved _,
          BotTransitions.BotTransitionResult.BotMissing _,
          BotTransitions.BotTransitionResult.BotEventRefused _ ->
          TerminationResult.ENDED;
      case BotTransitions.BotTransitionResult.BotUnchanged _,
          BotTransitions.BotTransitionResult.BotEventStale _ ->
          TerminationResult.ALIVE_AGAIN;
    };
  }
}
