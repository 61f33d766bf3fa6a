package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotCommandQueue.PendingCommand;
import io.convoke.server.bots.BotTransitions.BotTransitionResult;
import io.convoke.server.bots.BotTransitions.TransitionGuard;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.ChatStore;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.RoomObserver;
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
final class CallbackService {
  private final Database database;
  private final BotTransitions transitions;
  private final BotCommandQueue commands;
  private final CommandLongPolls waits;
  private final HeartbeatWriter heartbeatWriter;
  private final MeetingTranscriptStore meetingTranscriptStore;
  private final ChatStore chatStore;
  private final RoomObserver witness;

  CallbackService(
      Database database,
      BotTransitions transitions,
      BotCommandQueue commands,
      CommandLongPolls waits,
      HeartbeatWriter heartbeatWriter,
      MeetingTranscriptStore meetingTranscriptStore,
      ChatStore chatStore,
      RoomObserver witness) {
    this.database = database;
    this.transitions = transitions;
    this.commands = commands;
    this.waits = waits;
    this.heartbeatWriter = heartbeatWriter;
    this.meetingTranscriptStore = meetingTranscriptStore;
    this.chatStore = chatStore;
    this.witness = witness;
  }

  /** The answer to a bot. */
  record CallbackReply(long meetingId, MeetingStatus status, List<ObjectNode> commands) {}

  /** The result of a report, and the commands that its response carries. */
  private record CallbackResult(BotTransitionResult applied, List<PendingCommand> pending) {}

  /** A bot's row and its commands at one moment. */
  private record BotWithCommands(Optional<BotRow> row, List<PendingCommand> pending) {}

  /** Applies what the bot reports. */
  CallbackReply report(Caller.BotCaller botCaller, BotEvent event) {
    TransitionGuard transitionGuard =
        new TransitionGuard.LaunchGuard(botCaller.connectionId(), botCaller.attempt());
    CallbackResult callbackResult =
        database.transaction(
            tx ->
                new CallbackResult(
                    transitions.apply(tx, botCaller.meetingId(), transitionGuard, event, "bot"),
                    BotCommandQueue.pending(tx, botCaller.connectionId())));
    BotRow row = reply(callbackResult.applied());
    return reply(row.id(), row.status(), callbackResult.pending());
  }

  /**
   * Applies the events of a Vexa bot, in this order, all or nothing. The answer carries no
   * commands, so open ones are published again.
   */
  CallbackReply vexa(Caller.BotCaller botCaller, List<BotEvent> events) {
    TransitionGuard transitionGuard =
        new TransitionGuard.LaunchGuard(botCaller.connectionId(), botCaller.attempt());
    CallbackResult callbackResult =
        database.transaction(
            tx -> {
              BotTransitionResult botTransitionResult = new BotTransitionResult.BotMissing();
              for (BotEvent event : events) {
                botTransitionResult =
                    transitions.apply(tx, botCaller.meetingId(), transitionGuard, event, "bot");
                BotRow row = reply(botTransitionResult);
                if (row.protocol() != BotProtocol.VEXA) {
                  BotStore.speaks(tx, row.id(), BotProtocol.VEXA);
                }
              }
              return new CallbackResult(
                  botTransitionResult, BotCommandQueue.pending(tx, botCaller.connectionId()));
            });
    BotRow row = reply(callbackResult.applied());
    if (!row.status().terminal()) {
      callbackResult.pending().forEach(command -> commands.publishAgain(row, command));
    }
    return reply(row.id(), row.status(), callbackResult.pending());
  }

  /** Records a heartbeat. Returns when the row is written. */
  CallbackReply heartbeat(Caller.BotCaller botCaller, Optional<HeartbeatProgress> progress)
      throws InterruptedException {
    HeartbeatWriter.HeartbeatResult heartbeatResult = pulse(botCaller, progress);
    if (!heartbeatResult.current()) {
      throw replaced(heartbeatResult.status());
    }
    if (heartbeatResult.status().terminal()) {
      throw refused(heartbeatResult.status(), "the meeting is over");
    }
    if (heartbeatResult.status() == MeetingStatus.RESERVED) {
      throw refused(heartbeatResult.status(), "a bot reports started before its first heartbeat");
    }
    return reply(botCaller.meetingId(), heartbeatResult.status(), heartbeatResult.commands());
  }

  /** Marks a command as taken, with what the bot says that it did. */
  CallbackReply ack(Caller.BotCaller botCaller, String commandId, CommandResult result) {
    BotRow row = current(botCaller);
    if (!commands.ack(row, commandId, result, "bot")) {
      throw Problem.notFound("command");
    }
    return reply(
        row.id(),
        row.status(),
        database.read(tx -> BotCommandQueue.pending(tx, botCaller.connectionId())));
  }

  /**
   * Returns unacknowledged commands; without any, waits for one, at most this long. It only reads:
   * the call is no heartbeat.
   *
   * @throws Problem 410 when the launch is over, or as soon as it is while the call waits
   */
  CallbackReply commands(Caller.BotCaller botCaller, Duration atMost) throws InterruptedException {
    if (atMost.isZero()) {
      return pending(botCaller);
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    try (CommandLongPolls.CommandLongPoll commandLongPoll = waits.begin(botCaller.meetingId())) {
      CallbackReply callbackReply = pending(botCaller);
      long left = deadline - System.nanoTime();
      while (callbackReply.commands().isEmpty()
          && left > 0
          && commandLongPoll.await(Duration.ofNanos(left))) {
        left = deadline - System.nanoTime();
        if (left > 0) {
          callbackReply = pending(botCaller);
        }
      }
      return callbackReply;
    }
  }

  /** Stores transcript segments; a repeated one changes nothing. */
  CallbackReply transcript(
      Caller.BotCaller botCaller, List<MeetingTranscriptStore.StoredSegment> segments) {
    return database.transaction(
        tx -> {
          BotRow row = current(botCaller, row(tx, botCaller));
          if (row.status() == MeetingStatus.RESERVED) {
            throw refused(row.status(), "a bot must report started before it sends segments");
          }
          meetingTranscriptStore.hear(tx, row.id(), row.connectionId(), segments);
          return reply(
              row.id(), row.status(), BotCommandQueue.pending(tx, botCaller.connectionId()));
        });
  }

  /** Stores messages of the chat; a repeated one changes nothing. */
  CallbackReply chat(Caller.BotCaller botCaller, List<ChatStore.ReportedMessage> messages) {
    return database.transaction(
        tx -> {
          BotRow row = current(botCaller, row(tx, botCaller));
          if (row.status() == MeetingStatus.RESERVED) {
            throw refused(row.status(), "a bot must report started before it reports chat");
          }
          chatStore.add(tx, row.id(), row.meeting().userId(), row.connectionId(), messages);
          return reply(
              row.id(), row.status(), BotCommandQueue.pending(tx, botCaller.connectionId()));
        });
  }

  /**
   * The sound of a command that the bot has not acknowledged.
   *
   * @throws Problem 404 if there is none, 410 if the launch is over
   */
  byte[] speech(Caller.BotCaller botCaller, String commandId) {
    BotRow row = current(botCaller);
    return database
        .read(tx -> BotCommandQueue.audio(tx, row.connectionId(), commandId))
        .orElseThrow(() -> Problem.notFound("sound"));
  }

  /** Stores the participants that the bot sees; a repeated report changes nothing. */
  CallbackReply participants(Caller.BotCaller botCaller, BotRoomReport report) {
    BotRow row = current(botCaller);
    if (row.status() == MeetingStatus.RESERVED) {
      throw refused(row.status(), "a bot must report started before it reports participants");
    }
    witness.report(row.id(), row.meeting().platform(), report);
    return reply(
        row.id(),
        row.status(),
        database.read(tx -> BotCommandQueue.pending(tx, botCaller.connectionId())));
  }

  private HeartbeatWriter.HeartbeatResult pulse(
      Caller.BotCaller botCaller, Optional<HeartbeatProgress> progress)
      throws InterruptedException {
    try {
      return heartbeatWriter
          .submit(botCaller.meetingId(), botCaller.connectionId(), botCaller.attempt(), progress)
          .get(5, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw Problem.unavailable("The database");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof HeartbeatWriter.HeartbeatsOverloaded) {
        throw Problem.unavailable("The writer of heartbeats");
      }
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }

  /** The status of a live launch and its commands, read in one query. */
  private CallbackReply pending(Caller.BotCaller botCaller) {
    BotWithCommands botWithCommands =
        database.read(
            tx ->
                new BotWithCommands(
                    row(tx, botCaller), BotCommandQueue.pending(tx, botCaller.connectionId())));
    BotRow row = current(botCaller, botWithCommands.row());
    return reply(row.id(), row.status(), botWithCommands.pending());
  }

  private BotRow current(Caller.BotCaller botCaller) {
    return current(botCaller, database.read(tx -> row(tx, botCaller)));
  }

  private static Optional<BotRow> row(Tx tx, Caller.BotCaller botCaller) {
    return tx.sql("select " + BotRow.COLUMNS + " from meetings where id = ? and not tracked")
        .with(botCaller.meetingId())
        .first(BotRow::of);
  }

  /** The row of a launch that is the current one and not over. */
  private static BotRow current(Caller.BotCaller botCaller, Optional<BotRow> found) {
    BotRow row = found.orElseThrow(() -> Problem.gone("meeting_gone", "There is no such meeting."));
    if (!new TransitionGuard.LaunchGuard(botCaller.connectionId(), botCaller.attempt())
        .matches(row)) {
      throw replaced(row.status());
    }
    if (row.status().terminal()) {
      throw refused(row.status(), "the meeting is over");
    }
    return row;
  }

  /** The row after an event that counted. */
  private static BotRow reply(BotTransitionResult botTransitionResult) {
    return switch (botTransitionResult) {
      case BotTransitionResult.BotMoved(BotRow row) -> row;
      case BotTransitionResult.BotUnchanged(BotRow row) -> row;
      case BotTransitionResult.BotEventRefused(BotRow row, String why) ->
          throw refused(row.status(), why);
      case BotTransitionResult.BotEventStale(BotRow row) -> throw replaced(row.status());
      case BotTransitionResult.BotMissing _ ->
          throw Problem.gone("meeting_gone", "There is no such meeting.");
    };
  }

  private static CallbackReply reply(
      long meetingId, MeetingStatus status, List<PendingCommand> pending) {
    return new CallbackReply(
        meetingId, status, pending.stream().map(PendingCommand::message).toList());
  }

  private static Problem refused(MeetingStatus status, String why) {
    return status.terminal()
        ? Problem.gone("meeting_over", "The meeting is over; the bot must leave.")
            .with("meeting_status", status.wireName())
        : Problem.conflict(
            "illegal_transition",
            "Not possible while the bot is " + status.wireName() + ": " + why + ".",
            Map.of("meeting_status", status.wireName()));
  }

  private static Problem replaced(MeetingStatus status) {
    return Problem.gone("attempt_replaced", "This launch is no longer the current one.")
        .with("meeting_status", status.wireName());
  }
}
