package io.convoke.server.meetingsync;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowCancelledException;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.sync.SyncFeature;
import java.time.Duration;
import java.util.Optional;

/**
 * Wires the sync of meetings without a recording: a workflow for each run, which waits for a
 * recording of a tracked meeting to show up, and then sends the note.
 */
public final class MeetingSyncFeature {
  private static final String SEND = "meeting-sync.send";
  private static final String FAIL = "meeting-sync.fail";

  /** The pool of short activities that call other systems. */
  private static final String POOL = "recordings";

  private static final Duration ATTEMPT_MAX = Duration.ofMinutes(30);

  private final Database database;
  private final RecordedMeetings recordings;
  private final MeetingSyncStore store;
  private final NoteSender sender;
  private final boolean wanted;
  private final Duration recordingWait;
  private final ActivityOptions patiently;

  /**
   * Wires the feature; nothing runs before {@link #register}.
   *
   * @param crm empty: no meeting is synced
   * @param recordingWait how long after the end of a tracked meeting a recording may show up
   * @param retry how often a failed attempt is repeated
   */
  public MeetingSyncFeature(
      Database database,
      SyncFeature sync,
      RecordedMeetings recordings,
      Optional<CrmConnector> crm,
      Duration recordingWait,
      RetryPolicy retry) {
    this.database = database;
    this.recordings = recordings;
    this.store = new MeetingSyncStore(database, sync);
    this.sender = new NoteSender(database, store, recordings, crm);
    this.wanted = crm.isPresent();
    this.recordingWait = recordingWait;
    this.patiently = ActivityOptions.retried(retry).within(ATTEMPT_MAX);
  }

  /** A run that failed for good. */
  record MeetingSyncFailure(MeetingSyncRun run, String why) {}

  /** Adds the workflow and its activities to an engine. */
  public void register(Durable.Builder builder) {
    var _ =
        builder
            .workflow(MeetingSyncRun.WORKFLOW, MeetingSyncRun.class, this::run)
            .activity(SEND, POOL, MeetingSyncRun.class, (context, run) -> sender.send(run))
            .activity(
                FAIL,
                MeetingSyncFailure.class,
                (context, failure) ->
                    store.recorded(failure.run(), recordings)
                        ? "recorded"
                        : store.failed(failure.run(), failure.why()));
  }

  /** A meeting has ended; starts its sync once, if there is a CRM. */
  public void ended(long meetingId) {
    if (wanted) {
      database.run(tx -> store.start(tx, meetingId, recordingWait));
    }
  }

  /**
   * A recording of a meeting came to nothing in the caller's transaction. If the meeting was left
   * to its recordings and none of them syncs it any more, its own note is sent.
   */
  public void cameToNothing(Tx tx, long meetingId) {
    if (wanted && !recordings.syncs(tx, meetingId)) {
      boolean _ = MeetingSyncStore.again(tx, meetingId, "recorded");
    }
  }

  /**
   * Restarts the sync of a meeting in the caller's transaction; whether one is under way then.
   *
   * @param recorded whether a recording of the meeting is synced or will be: then its own note is
   *     sent again only if that failed
   * @param lastSyncedBy who reported the failure: after that of another system, a note that was
   *     sent is not sent again
   */
  public boolean retry(Tx tx, long meetingId, boolean recorded, Optional<String> lastSyncedBy) {
    boolean ours =
        lastSyncedBy
            .filter(by -> by.startsWith("meeting:") || by.startsWith("recording:"))
            .isPresent();
    return wanted && MeetingSyncStore.retry(tx, meetingId, recorded, ours);
  }

  /** Sends the note of a meeting again, if it was sent; false while a run sends it. */
  public boolean sendAgain(Tx tx, long meetingId) {
    return !wanted || MeetingSyncStore.sendAgain(tx, meetingId);
  }

  private String run(WorkflowContext context, MeetingSyncRun run) {
    String end;
    try {
      end = send(context, run);
    } catch (ActivityFailedException failed) {
      end = fail(context, run, String.valueOf(failed.getMessage()));
    } catch (WorkflowCancelledException cancelled) {
      end = fail(context, run, "cancelled: " + cancelled.getMessage());
    }
    context.status(end);
    return end;
  }

  private String send(WorkflowContext context, MeetingSyncRun run) {
    if (run.waitSeconds() > 0) {
      context.status("waits for a recording");
      context.sleep(Duration.ofSeconds(run.waitSeconds()));
    }
    context.status("sends the note");
    return context.activity(SEND, run, String.class, patiently);
  }

  private String fail(WorkflowContext context, MeetingSyncRun run, String why) {
    return context.activity(FAIL, new MeetingSyncFailure(run, why), String.class, patiently);
  }
}
