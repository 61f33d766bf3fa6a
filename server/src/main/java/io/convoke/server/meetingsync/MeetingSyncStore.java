package io.convoke.server.meetingsync;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.sync.SyncFeature;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate;
import io.convoke.server.sync.SyncUpdateResult;
import io.convoke.server.trace.Traceparent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The rows of {@code meeting_syncs}. Each change updates the meeting's sync status in the same
 * transaction; a run that is over changes nothing.
 */
final class MeetingSyncStore {
  /** The steps, as for recordings. */
  static final List<String> STEPS = List.of("prepare", "transform", "push");

  private static final int DETAIL_MAX = 500;

  private final Database database;
  private final SyncFeature sync;

  MeetingSyncStore(Database database, SyncFeature sync) {
    this.database = database;
    this.sync = sync;
  }

  /** Starts the first run; does nothing if there is one. */
  void start(Tx tx, long meetingId, Duration recordingWait) {
    Optional<Boolean> tracked =
        tx.sql(
                """
                with added as (
                  insert into meeting_syncs (meeting_id) values (?) on conflict do nothing
                  returning meeting_id)
                select m.tracked from meetings m join added a on a.meeting_id = m.id
                """)
            .with(meetingId)
            .first(resultRow -> resultRow.booleanAt("tracked"));
    tracked.ifPresent(
        may -> start(tx, new MeetingSyncRun(meetingId, 1, may ? recordingWait.toSeconds() : 0)));
  }

  /**
   * Whether a run is under way, after one that is over was started again.
   *
   * @param recorded whether a recording syncs the meeting: then only a failed run is
   * @param ours whether this server reported the failure: otherwise the run had no part in it,
   *     unless it left the note to recordings
   */
  static boolean retry(Tx tx, long meetingId, boolean recorded, boolean ours) {
    return again(tx, meetingId, "failed")
        || (!recorded && again(tx, meetingId, "recorded"))
        || (!recorded && ours && again(tx, meetingId, "done", "empty"))
        || tx.sql(
                """
                select exists (
                  select from meeting_syncs
                  where meeting_id = ? and status in ('waiting', 'running')) as under_way
                """)
            .with(meetingId)
            .one(resultRow -> resultRow.booleanAt("under_way"));
  }

  /** Starts a run that sends the note again, if it was sent; false while a run sends it. */
  static boolean sendAgain(Tx tx, long meetingId) {
    return again(tx, meetingId, "done")
        || tx.sql(
                """
                select not exists (
                  select from meeting_syncs where meeting_id = ? and status = 'running') as settled
                """)
            .with(meetingId)
            .one(resultRow -> resultRow.booleanAt("settled"));
  }

  /** Starts another run if the last one has one of these statuses; whether it had. */
  static boolean again(Tx tx, long meetingId, String... statuses) {
    Optional<Integer> again =
        tx.sql(
                """
                update meeting_syncs
                set run = run + 1, status = 'waiting', step = null, detail = null, updated_at = now()
                where meeting_id = ? and status = any(?) returning run
                """)
            .with(meetingId, statuses)
            .first(resultRow -> resultRow.intAt("run"));
    again.ifPresent(run -> start(tx, new MeetingSyncRun(meetingId, run, 0)));
    return again.isPresent();
  }

  /**
   * An attempt is about to read the meeting; false if the run is over. A summary that is done from
   * here on waits for the end of the run, and has the note sent again.
   */
  boolean begin(MeetingSyncRun run) {
    return database.transaction(
        tx -> {
          Optional<Optional<String>> known = lock(tx, run);
          known.ifPresent(step -> set(tx, run, "running", step, Optional.empty()));
          return known.isPresent();
        });
  }

  /** A step begins, so those before it are done; false if the run is over. */
  boolean reached(MeetingSyncRun run, String step) {
    return database.transaction(
        tx -> {
          Optional<Optional<String>> known = lock(tx, run);
          int at = STEPS.indexOf(step);
          if (known.isPresent() && known.get().map(STEPS::indexOf).orElse(-1) < at) {
            set(tx, run, "running", Optional.of(step), Optional.empty());
            if (at > 0) {
              report(tx, run, STEPS.get(at - 1), SyncStatus.SUCCESS, SyncStatus.IN_PROGRESS, "");
            }
            report(tx, run, step, SyncStatus.IN_PROGRESS, SyncStatus.IN_PROGRESS, "");
          }
          return known.isPresent();
        });
  }

  /** The CRM has the note. */
  String done(MeetingSyncRun run, String detail) {
    return database.transaction(
        tx -> {
          if (lock(tx, run).isEmpty()) {
            return "over";
          }
          set(tx, run, "done", Optional.of(STEPS.getLast()), Optional.of(detail));
          report(tx, run, STEPS.getLast(), SyncStatus.SUCCESS, SyncStatus.SUCCESS, "");
          return "done";
        });
  }

  /** The run failed at the step that it had reached. */
  String failed(MeetingSyncRun run, String why) {
    return database.transaction(
        tx -> {
          Optional<Optional<String>> known = lock(tx, run);
          if (known.isEmpty()) {
            return "over";
          }
          String step = known.get().orElse(STEPS.getFirst());
          set(tx, run, "failed", Optional.of(step), Optional.of(why));
          report(tx, run, step, SyncStatus.FAILURE, SyncStatus.FAILURE, shortened(why));
          return "failed";
        });
  }

  /**
   * Leaves a run to the recordings of its meeting, if they sync it; the sync status stays as it is.
   * One transaction, so that a recording that comes to nothing meanwhile finds the run left, or is
   * seen here.
   */
  boolean recorded(MeetingSyncRun run, RecordedMeetings recordings) {
    return database.transaction(
        tx -> {
          boolean recorded = recordings.syncs(tx, run.meetingId());
          if (recorded) {
            boolean _ = leave(tx, run, "recorded");
          }
          return recorded;
        });
  }

  /**
   * There is nothing to send. The sync status stays as it is, except that an attempt which a retry
   * opened fails: nothing else would end it.
   */
  String empty(MeetingSyncRun run) {
    database.run(
        tx -> {
          if (leave(tx, run, "empty") && run.run() > 1 && open(tx, run.meetingId())) {
            String why = "there is nothing to send";
            report(tx, run, STEPS.getFirst(), SyncStatus.FAILURE, SyncStatus.FAILURE, why);
          }
        });
    return "empty";
  }

  private static boolean leave(Tx tx, MeetingSyncRun run, String status) {
    boolean open = lock(tx, run).isPresent();
    if (open) {
      set(tx, run, status, Optional.empty(), Optional.empty());
    }
    return open;
  }

  /** Whether an attempt of the meeting's sync is open; a retry that is being committed counts. */
  private static boolean open(Tx tx, long meetingId) {
    return tx.sql("select status from sync_status where meeting_id = ? for update")
        .with(Long.toString(meetingId))
        .first(resultRow -> resultRow.text("status"))
        .filter(SyncStatus.IN_PROGRESS.wireName()::equals)
        .isPresent();
  }

  private static void start(Tx tx, MeetingSyncRun run) {
    tx.run(
        List.of(
            tx.sql(
                    """
                    insert into workflow_owners (instance_id, user_id, meeting_id)
                    select ?, user_id, id from meetings where id = ? on conflict do nothing
                    """)
                .with(run.instance(), run.meetingId()),
            Durable.starting(
                tx, MeetingSyncRun.WORKFLOW, run.instance(), run, Traceparent.current())));
  }

  /** The step that an open run has reached; empty if it is over. */
  private static Optional<Optional<String>> lock(Tx tx, MeetingSyncRun run) {
    return tx.sql(
            """
            select step from meeting_syncs
            where meeting_id = ? and run = ? and status in ('waiting', 'running') for update
            """)
        .with(run.meetingId(), run.run())
        .first(resultRow -> resultRow.maybeText("step"));
  }

  private static void set(
      Tx tx, MeetingSyncRun run, String status, Optional<String> step, Optional<String> detail) {
    int _ =
        tx.sql(
                """
                update meeting_syncs set status = ?, step = ?, detail = ?, updated_at = now()
                where meeting_id = ?
                """)
            .with(status, step, detail.map(MeetingSyncStore::shortened), run.meetingId())
            .update();
  }

  private void report(
      Tx tx, MeetingSyncRun run, String step, SyncStatus of, SyncStatus whole, String error) {
    Optional<String> why = Optional.of(error).filter(text -> !text.isEmpty());
    SyncUpdateResult _ =
        sync.apply(
            tx,
            Long.toString(run.meetingId()),
            new SyncUpdate.StepReported(
                STEPS,
                step,
                of,
                why,
                "meeting:" + run.meetingId(),
                new SyncUpdate.PipelinesReported(whole, why)));
  }

  private static String shortened(String text) {
    String clean = text.replace("\0", "");
    return clean.substring(0, Math.min(clean.length(), DETAIL_MAX));
  }
}
