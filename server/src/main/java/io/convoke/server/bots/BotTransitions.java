package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingStatusChange;
import io.convoke.server.meetings.PostMeetingOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of a bot's status. One transaction per event: read the row under its lock, call
 * the reducer, write the transition with its journal row, or nothing.
 */
final class BotTransitions {
  private static final Logger log = LoggerFactory.getLogger(BotTransitions.class);

  /** Event type: a bot waits for admission. */
  static final String AWAITING_ADMISSION = "bot.awaiting_admission";

  private final Database database;
  private final Journal journal;
  private final BotLifecycle lifecycle = new BotLifecycle();
  private final TestSignal<Meeting> moved = new TestSignal<>();
  private final BotMetrics meters;

  BotTransitions(Database database, Journal journal, BotMetrics meters) {
    this.database = database;
    this.journal = journal;
    this.meters = meters;
  }

  /** The result of an event. */
  sealed interface BotTransitionResult {
    /** The status moved. */
    record BotMoved(BotRow row) implements BotTransitionResult {}

    /** Legal, and already applied. */
    record BotUnchanged(BotRow row) implements BotTransitionResult {}

    /** Illegal in the present state. */
    record BotEventRefused(BotRow row, String why) implements BotTransitionResult {}

    /** From a replaced attempt, or about a row that has changed meanwhile. */
    record BotEventStale(BotRow row) implements BotTransitionResult {}

    /** No such bot. */
    record BotMissing() implements BotTransitionResult {}
  }

  /** The condition on the row under which the event counts. */
  sealed interface TransitionGuard {
    /** The event belongs to this launch. */
    record LaunchGuard(String connectionId, int attempt) implements TransitionGuard {}

    /** The row is unchanged and the bot has not called since it was read. */
    record UnchangedSinceGuard(BotRow seen) implements TransitionGuard {}

    default boolean matches(BotRow row) {
      return switch (this) {
        case LaunchGuard launchGuard ->
            row.attempt() == launchGuard.attempt()
                && row.connectionId().equals(launchGuard.connectionId());
        case UnchangedSinceGuard unchangedSinceGuard ->
            row.version() == unchangedSinceGuard.seen().version()
                && row.lastSign().equals(unchangedSinceGuard.seen().lastSign());
      };
    }

    /** The launch that a row stands for. */
    static TransitionGuard launchOf(BotRow row) {
      return new LaunchGuard(row.connectionId(), row.attempt());
    }
  }

  /** Applies an event of the given origin. */
  BotTransitionResult apply(
      long meetingId, TransitionGuard transitionGuard, BotEvent event, String actor) {
    return database.transaction(tx -> apply(tx, meetingId, transitionGuard, event, actor));
  }

  /** The same within a transaction of the caller's. */
  BotTransitionResult apply(
      Tx tx, long meetingId, TransitionGuard transitionGuard, BotEvent event, String actor) {
    Optional<BotRow> found = lock(tx, meetingId);
    if (found.isEmpty()) {
      return new BotTransitionResult.BotMissing();
    }
    BotRow row = found.get();
    if (!transitionGuard.matches(row)) {
      return new BotTransitionResult.BotEventStale(row);
    }
    BotEvent meant = meant(row, event);
    return switch (lifecycle.next(row.state(), meant)) {
      case LifecycleStep.StateChanged<BotState>(BotState to, String reason) ->
          new BotTransitionResult.BotMoved(move(tx, row, to, reason, meant, actor));
      case LifecycleStep.StateUnchanged<BotState> _ -> {
        touch(tx, row, meant);
        yield new BotTransitionResult.BotUnchanged(row);
      }
      case LifecycleStep.EventRefused<BotState>(String why) ->
          new BotTransitionResult.BotEventRefused(row, why);
    };
  }

  /** Every applied move, after its commit. */
  TestSignal<Meeting> moved() {
    return moved;
  }

  /** A bot that the server is ending ends for the server's reason, not for the one it reports. */
  private static BotEvent meant(BotRow row, BotEvent event) {
    if (row.stopRequested() || row.status().terminal()) {
      return event;
    }
    if (row.endRequest().isPresent()) {
      return event.because(row.endRequest().get().reason());
    }
    return switch (event) {
      case BotEvent.DeadlinePassed(String found, Optional<String> own, Optional<Integer> exitCode)
          when row.inLobby() ->
          new BotEvent.DeadlinePassed(
              found, own.or(() -> Optional.of(OutcomeClassifier.LOBBY_TIMEOUT)), exitCode);
      case BotEvent.BotExited(int exitCode, Optional<String> _) when row.ending().isPresent() ->
          new BotEvent.DeadlinePassed("leaving", row.ending(), Optional.of(exitCode));
      case BotEvent.BotProcessEnded(Optional<Integer> exitCode, Optional<String> _)
          when row.ending().isPresent() ->
          new BotEvent.DeadlinePassed("leaving", row.ending(), exitCode);
      case BotEvent.BotStarted _,
          BotEvent.BotAwaitingAdmission _,
          BotEvent.BotJoined _,
          BotEvent.BotHeartbeat _,
          BotEvent.BotLeaving _,
          BotEvent.BotExited _,
          BotEvent.LaunchFailed _,
          BotEvent.LaunchCancelled _,
          BotEvent.BotProcessEnded _,
          BotEvent.BotKilled _,
          BotEvent.DeadlinePassed _ ->
          event;
    };
  }

  private static Optional<BotRow> lock(Tx tx, long meetingId) {
    return tx.sql(
            "select " + BotRow.COLUMNS + " from meetings where id = ? and not tracked for update")
        .with(meetingId)
        .first(BotRow::of);
  }

  private BotRow move(Tx tx, BotRow row, BotState to, String reason, BotEvent event, String actor) {
    boolean starts = to.status() == MeetingStatus.STARTING;
    BotRow written =
        tx.sql(
                """
                update meetings set
                  status = ?,
                  version = version + 1,
                  state_entered_at = now(),
                  start_time = case when ? then coalesce(start_time, now()) else start_time end,
                  admitted_at = case when ? then coalesce(admitted_at, now()) else admitted_at end,
                  end_time = case when ? then now() else end_time end,
                  updated_at = case when ? then now() else updated_at end,
                  ending = case when ? then null else ending end,
                  data = case when ? then jsonb_set(data, '{outcome}', ?) else data end
                where id = ? and version = ?
                returning\s"""
                    + BotRow.COLUMNS)
            .with(
                to.status(),
                starts,
                to.admitted(),
                to.status().terminal(),
                signOfLife(event),
                event instanceof BotEvent.BotJoined,
                to.outcome().isPresent(),
                to.outcome().map(Json::tree),
                row.id(),
                row.version())
            .one(BotRow::of);
    if (starts) {
      openSession(tx, written);
    }
    if (to.status().terminal()) {
      PostMeetingOrder.order(tx, row.id());
      BotCommandQueue.dropAudio(tx, row.connectionId());
    }
    journal.append(
        tx,
        List.of(
            new MeetingStatusChange(
                    row.id(),
                    row.meeting().userId(),
                    Optional.of(row.status()),
                    to.status(),
                    reason,
                    event.label(),
                    actor,
                    row.attempt())
                .event(written.stateEnteredAt(), TransitionCause.of(row, event))));
    tx.afterCommit(() -> announce(row, written, reason, actor));
    return written;
  }

  private static void openSession(Tx tx, BotRow row) {
    int _ =
        tx.sql(
                """
                insert into meeting_sessions (meeting_id, session_uid, session_start_time, attempt)
                values (?, ?, now(), ?) on conflict (session_uid) do nothing
                """)
            .with(row.id(), row.connectionId(), row.attempt())
            .update();
  }

  private void touch(Tx tx, BotRow row, BotEvent event) {
    if (event instanceof BotEvent.BotAwaitingAdmission
        && row.status() == MeetingStatus.STARTING
        && row.lobbySince().isEmpty()) {
      int _ =
          tx.sql("update meetings set lobby_since = now() where id = ?").with(row.id()).update();
      journal.append(tx, List.of(lobby(row)));
    }
    if (signOfLife(event) && !row.status().terminal()) {
      int _ =
          tx.sql(
                  """
                  update meetings set updated_at = now(),
                    ending = case when ? or status = 'stopping' then ending end
                  where id = ?
                  """)
              .with(!(event instanceof BotEvent.BotHeartbeat), row.id())
              .update();
    }
  }

  private static NewJournalEvent lobby(BotRow row) {
    return NewJournalEvent.of(
        AWAITING_ADMISSION,
        MeetingStatusChange.subject(row.id()),
        Optional.of(row.meeting().userId()),
        Map.of(
            "meeting_id", row.id(),
            "user_id", row.meeting().userId(),
            "attempt", row.attempt()));
  }

  private static boolean signOfLife(BotEvent event) {
    return switch (event) {
      case BotEvent.BotStarted _,
          BotEvent.BotAwaitingAdmission _,
          BotEvent.BotJoined _,
          BotEvent.BotHeartbeat _,
          BotEvent.BotLeaving _,
          BotEvent.BotExited _ ->
          true;
      case BotEvent.LaunchFailed _,
          BotEvent.LaunchCancelled _,
          BotEvent.BotProcessEnded _,
          BotEvent.BotKilled _,
          BotEvent.DeadlinePassed _ ->
          false;
    };
  }

  private void announce(BotRow from, BotRow to, String reason, String actor) {
    log.atInfo()
        .addKeyValue("meeting", to.id())
        .addKeyValue("attempt", to.attempt())
        .addKeyValue("from", from.status().wireName())
        .addKeyValue("to", to.status().wireName())
        .addKeyValue("reason", reason)
        .addKeyValue("actor", actor)
        .log("bot moved");
    to.state().outcome().ifPresent(botOutcome -> meters.ended(to.status().wireName(), botOutcome));
    moved.emit(to.meeting());
  }
}
