package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotCommands.Pending;
import io.convoke.server.bots.BotTransitions.Applied;
import io.convoke.server.bots.BotTransitions.Guard;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.Transcripts;
import io.convoke.server.platform.RoomReport;
import io.convoke.server.platform.RoomWitness;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Turns the callbacks of bots into events and answers with the status and all unacknowledged
 * commands. 409: the state does not allow the event. 410: this launch is over and the bot must
 * leave.
 */
final class BotReports {
  private final Database database;
  private final BotTransitions transitions;
  private final BotCommands commands;
  private final CommandWaits waits;
  private final Heartbeats heartbeats;
  private final Transcripts transcripts;
  private final RoomWitness witness;

  BotReports(
      Database database,
      BotTransitions transitions,
      BotCommands commands,
      CommandWaits waits,
      Heartbeats heartbeats,
      Transcripts transcripts,
      RoomWitness witness) {
    this.database = database;
    this.transitions = transitions;
    this.commands = commands;
    this.waits = waits;
    this.heartbeats = heartbeats;
    this.transcripts = transcripts;
    this.witness = witness;
  }

  /** The answer to a bot. */
  record Heard(long meetingId, MeetingStatus status, List<ObjectNode> commands) {}

  /** What became of a report, and the commands that ride on its answer. */
  private record Result(Applied applied, List<Pending> pending) {}

  /** A bot's row and its commands at one moment. */
  private record Look(Optional<BotRow> row, List<Pending> pending) {}

  /** Applies what the bot reports. */
  Heard report(Caller.Bot bot, BotEvent event) {
    Guard guard = new Guard.Launch(bot.connectionId(), bot.attempt());
    Result result =
        database.transaction(
            tx ->
                new Result(
                    transitions.apply(tx, bot.meetingId(), guard, event, "bot"),
                    BotCommands.pending(tx, bot.connectionId())));
    BotRow row = heard(result.applied());
    return heard(row.id(), row.status(), result.pending());
  }

  /**
   * Applies the events of a Vexa bot, in this order, all or nothing. The answer carries no
   * commands, so open ones are published again.
   */
  Heard vexa(Caller.Bot bot, List<BotEvent> events) {
    Guard guard = new Guard.Launch(bot.connectionId(), bot.attempt());
    Result result =
        database.transaction(
            tx -> {
              Applied applied = new Applied.Missing();
              for (BotEvent event : events) {
                applied = transitions.apply(tx, bot.meetingId(), guard, event, "bot");
                BotRow row = heard(applied);
                if (row.protocol() != BotProtocol.VEXA) {
                  BotStore.speaks(tx, row.id(), BotProtocol.VEXA);
                }
              }
              return new Result(applied, BotCommands.pending(tx, bot.connectionId()));
            });
    BotRow row = heard(result.applied());
    if (!row.status().terminal()) {
      result.pending().forEach(command -> commands.publishAgain(row, command));
    }
    return heard(row.id(), row.status(), result.pending());
  }

  /** Records a heartbeat. Returns when the row is written. */
  Heard heartbeat(Caller.Bot bot) throws InterruptedException {
    Heartbeats.Pulse pulse = pulse(bot);
    if (!pulse.current()) {
      throw replaced(pulse.status());
    }
    if (pulse.status().terminal()) {
      throw refused(pulse.status(), "the meeting is over");
    }
    if (pulse.status() == MeetingStatus.RESERVED) {
      throw refused(pulse.status(), "a bot reports started before its first heartbeat");
    }
    return heard(bot.meetingId(), pulse.status(), pulse.commands());
  }

  /** Marks a command as taken. */
  Heard ack(Caller.Bot bot, String commandId) {
    BotRow row = current(bot);
    if (!commands.ack(row, commandId, "bot")) {
      throw Problem.notFound("command");
    }
    return heard(
        row.id(), row.status(), database.read(tx -> BotCommands.pending(tx, bot.connectionId())));
  }

  /**
   * Returns unacknowledged commands; without any, waits for one, at most this long. It only reads:
   * the call is no heartbeat.
   *
   * @throws Problem 410 when the launch is over, or as soon as it is while the call waits
   */
  Heard commands(Caller.Bot bot, Duration atMost) throws InterruptedException {
    if (atMost.isZero()) {
      return pending(bot);
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    try (CommandWaits.Wait wait = waits.begin(bot.meetingId())) {
      Heard heard = pending(bot);
      long left = deadline - System.nanoTime();
      while (heard.commands().isEmpty() && left > 0 && wait.await(Duration.ofNanos(left))) {
        left = deadline - System.nanoTime();
        if (left > 0) {
          heard = pending(bot);
        }
      }
      return heard;
    }
  }

  /** Stores what was said; a segment that comes again is the same one. */
  Heard transcript(Caller.Bot bot, List<Transcripts.Heard> segments) {
    return database.transaction(
        tx -> {
          BotRow row = current(bot, row(tx, bot));
          if (row.status() == MeetingStatus.RESERVED) {
            throw refused(row.status(), "a bot must report started before it sends segments");
          }
          transcripts.hear(tx, row.id(), row.connectionId(), segments);
          return heard(row.id(), row.status(), BotCommands.pending(tx, bot.connectionId()));
        });
  }

  /** Stores the participants that the bot sees; a repeated report changes nothing. */
  Heard participants(Caller.Bot bot, RoomReport report) {
    BotRow row = current(bot);
    if (row.status() == MeetingStatus.RESERVED) {
      throw refused(row.status(), "a bot must report started before it reports participants");
    }
    witness.report(row.id(), row.meeting().platform(), report);
    return heard(
        row.id(), row.status(), database.read(tx -> BotCommands.pending(tx, bot.connectionId())));
  }

  private Heartbeats.Pulse pulse(Caller.Bot bot) throws InterruptedException {
    try {
      return heartbeats
          .beat(bot.meetingId(), bot.connectionId(), bot.attempt())
          .get(5, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw Problem.unavailable("The database");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Heartbeats.Overloaded) {
        throw Problem.unavailable("The writer of heartbeats");
      }
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }

  /** The status of a live launch and its commands, read in one query. */
  private Heard pending(Caller.Bot bot) {
    Look look =
        database.read(tx -> new Look(row(tx, bot), BotCommands.pending(tx, bot.connectionId())));
    BotRow row = current(bot, look.row());
    return heard(row.id(), row.status(), look.pending());
  }

  private BotRow current(Caller.Bot bot) {
    return current(bot, database.read(tx -> row(tx, bot)));
  }

  private static Optional<BotRow> row(Tx tx, Caller.Bot bot) {
    return tx.sql("select " + BotRow.COLUMNS + " from meetings where id = ? and not tracked")
        .with(bot.meetingId())
        .first(BotRow::of);
  }

  /** The row of a launch that is the current one and not over. */
  private static BotRow current(Caller.Bot bot, Optional<BotRow> found) {
    BotRow row = found.orElseThrow(() -> Problem.gone("meeting_gone", "There is no such meeting."));
    if (!new Guard.Launch(bot.connectionId(), bot.attempt()).holds(row)) {
      throw replaced(row.status());
    }
    if (row.status().terminal()) {
      throw refused(row.status(), "the meeting is over");
    }
    return row;
  }

  /** The row after an event that counted. */
  private static BotRow heard(Applied applied) {
    return switch (applied) {
      case Applied.Moved(BotRow row) -> row;
      case Applied.Unchanged(BotRow row) -> row;
      case Applied.Refused(BotRow row, String why) -> throw refused(row.status(), why);
      case Applied.Stale(BotRow row) -> throw replaced(row.status());
      case Applied.Missing _ -> throw Problem.gone("meeting_gone", "There is no such meeting.");
    };
  }

  private static Heard heard(long meetingId, MeetingStatus status, List<Pending> pending) {
    return new Heard(meetingId, status, pending.stream().map(Pending::message).toList());
  }

  private static Problem refused(MeetingStatus status, String why) {
    return status.terminal()
        ? Problem.gone("meeting_over", "The meeting is over; the bot must leave.")
            .with("meeting_status", status.word())
        : Problem.conflict(
            "illegal_transition",
            "Not possible while the bot is " + status.word() + ": " + why + ".",
            Map.of("meeting_status", status.word()));
  }

  private static Problem replaced(MeetingStatus status) {
    return Problem.gone("attempt_replaced", "This launch is no longer the current one.")
        .with("meeting_status", status.word());
  }
}
