package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.state.Step;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.PostMeeting;
import io.convoke.server.meetings.StatusChange;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of a bot's status. One transaction per event: read the row under its lock, call
 * the reducer, write the transition with its journal row, or nothing.
 */
final class BotTransitions {
  private static final Logger log = LoggerFactory.getLogger(BotTransitions.class);

  private final Database database;
  private final Journal journal;
  private final BotLifecycle lifecycle = new BotLifecycle();
  private final Signal<Meeting> moved = new Signal<>();
  private final BotMeters meters;

  BotTransitions(Database database, Journal journal, BotMeters meters) {
    this.database = database;
    this.journal = journal;
    this.meters = meters;
  }

  /** What became of an event. */
  sealed interface Applied {
    /** The status moved. */
    record Moved(BotRow row) implements Applied {}

    /** Legal, and known already. */
    record Unchanged(BotRow row) implements Applied {}

    /** Illegal in the present state. */
    record Refused(BotRow row, String why) implements Applied {}

    /**
     * From an attempt that another one has replaced, or about a row that has moved on meanwhile.
     */
    record Stale(BotRow row) implements Applied {}

    /** There is no such bot. */
    record Missing() implements Applied {}
  }

  /** What must still be true of the row for the event to count. */
  sealed interface Guard {
    /** The event belongs to this launch. */
    record Launch(String connectionId, int attempt) implements Guard {}

    /** The row is unchanged and the bot has not called since it was read. */
    record Since(BotRow seen) implements Guard {}

    default boolean holds(BotRow row) {
      return switch (this) {
        case Launch launch ->
            row.attempt() == launch.attempt() && row.connectionId().equals(launch.connectionId());
        case Since since ->
            row.version() == since.seen().version()
                && row.lastSign().equals(since.seen().lastSign());
      };
    }

    /** The launch that a row stands for. */
    static Guard launchOf(BotRow row) {
      return new Launch(row.connectionId(), row.attempt());
    }
  }

  /** Applies an event of the given origin. */
  Applied apply(long meetingId, Guard guard, BotEvent event, String actor) {
    return database.transaction(tx -> apply(tx, meetingId, guard, event, actor));
  }

  /** The same within a transaction of the caller's. */
  Applied apply(Tx tx, long meetingId, Guard guard, BotEvent event, String actor) {
    Optional<BotRow> found = lock(tx, meetingId);
    if (found.isEmpty()) {
      return new Applied.Missing();
    }
    BotRow row = found.get();
    if (!guard.holds(row)) {
      return new Applied.Stale(row);
    }
    BotEvent meant = meant(row, event);
    return switch (lifecycle.next(row.state(), meant)) {
      case Step.Move<BotState>(BotState to, String reason) ->
          new Applied.Moved(move(tx, row, to, reason, meant, actor));
      case Step.Stay<BotState> _ -> {
        touch(tx, row, meant);
        yield new Applied.Unchanged(row);
      }
      case Step.Refuse<BotState>(String why) -> new Applied.Refused(row, why);
    };
  }

  /** Every applied move, after its commit. */
  Signal<Meeting> moved() {
    return moved;
  }

  /** A bot that leaves because we are ending it ends for our reason, not for the one it gives. */
  private static BotEvent meant(BotRow row, BotEvent event) {
    boolean end = event instanceof BotEvent.Exited || event instanceof BotEvent.Vanished;
    return end && row.ending().isPresent() && !row.stopRequested() && !row.status().terminal()
        ? new BotEvent.Overdue("leaving", row.ending())
        : event;
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
                event instanceof BotEvent.Joined,
                to.outcome().isPresent(),
                to.outcome().map(Json::tree),
                row.id(),
                row.version())
            .one(BotRow::of);
    if (starts) {
      openSession(tx, written);
    }
    if (to.status().terminal()) {
      PostMeeting.order(tx, row.id());
    }
    journal.append(
        tx,
        List.of(
            new StatusChange(
                    row.id(),
                    row.meeting().userId(),
                    Optional.of(row.status()),
                    to.status(),
                    reason,
                    event.label(),
                    actor,
                    row.attempt())
                .event(written.stateEnteredAt(), Evidence.of(row, event))));
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

  private static void touch(Tx tx, BotRow row, BotEvent event) {
    if (signOfLife(event) && !row.status().terminal()) {
      int _ =
          tx.sql(
                  """
                  update meetings set updated_at = now(),
                    ending = case when ? or status = 'stopping' then ending end
                  where id = ?
                  """)
              .with(!(event instanceof BotEvent.Beat), row.id())
              .update();
    }
  }

  private static boolean signOfLife(BotEvent event) {
    return switch (event) {
      case BotEvent.Started _,
          BotEvent.Joined _,
          BotEvent.Beat _,
          BotEvent.Leaving _,
          BotEvent.Exited _ ->
          true;
      case BotEvent.LaunchFailed _,
          BotEvent.Cancelled _,
          BotEvent.Vanished _,
          BotEvent.Killed _,
          BotEvent.Overdue _ ->
          false;
    };
  }

  private void announce(BotRow from, BotRow to, String reason, String actor) {
    log.atInfo()
        .addKeyValue("meeting", to.id())
        .addKeyValue("attempt", to.attempt())
        .addKeyValue("from", from.status().word())
        .addKeyValue("to", to.status().word())
        .addKeyValue("reason", reason)
        .addKeyValue("actor", actor)
        .log("bot moved");
    to.state().outcome().ifPresent(outcome -> meters.ended(to.status().word(), outcome));
    moved.emit(to.meeting());
  }
}
