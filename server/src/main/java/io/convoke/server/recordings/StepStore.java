package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.recordings.RecordingTransitions.RecordingTransitionResult;
import io.convoke.server.recordings.RecordingWorkflow.RecordingRunRef;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a recording in its row: claimed under a new epoch, committed under the same one
 * together with their output. A worker that lost its claim writes nothing.
 */
final class StepStore {
  private static final Logger log = LoggerFactory.getLogger(StepStore.class);
  private static final int WORDS_MAX = 500;

  private final Database database;
  private final RecordingTransitions transitions;
  private final MeetingSyncReporter sync;
  private final InstantSource time;

  StepStore(
      Database database,
      RecordingTransitions transitions,
      MeetingSyncReporter sync,
      InstantSource time) {
    this.database = database;
    this.transitions = transitions;
    this.sync = sync;
    this.time = time;
  }

  /** The result of a claim. */
  sealed interface StepClaimResult {
    record StepClaimed(StepClaim claim) implements StepClaimResult {}

    /** It was committed before. */
    record StepAlreadyDone() implements StepClaimResult {}

    /** The run is over. */
    record StepRunOver() implements StepClaimResult {}
  }

  /** Another worker has claimed the step. */
  static final class StepClaimLost extends RuntimeException {
    private static final long serialVersionUID = 1;

    StepClaimLost(StepClaim claim) {
      super(
          "step "
              + claim.step().wireName()
              + " of "
              + claim.recordingId()
              + " is not ours any more");
    }
  }

  /**
   * Claims a step; the first claim of a run begins the processing.
   *
   * @param wanted whether there is work to do, which the sync status then shows
   */
  StepClaimResult begin(RecordingRunRef recordingRunRef, StepName step, boolean wanted) {
    return database.transaction(
        tx -> {
          RecordingTransitionResult recordingTransitionResult =
              transitions.apply(
                  tx,
                  recordingRunRef.recordingId(),
                  recordingRunRef.run(),
                  new RecordingEvent.WorkBegun(),
                  "workflow");
          return switch (recordingTransitionResult) {
            case RecordingTransitionResult.RecordingMissing _,
                RecordingTransitionResult.RecordingEventRefused _ ->
                new StepClaimResult.StepRunOver();
            case RecordingTransitionResult.RecordingMoved(RecordingRow row) ->
                claim(tx, row, recordingRunRef, step, wanted);
            case RecordingTransitionResult.RecordingUnchanged(RecordingRow row) ->
                claim(tx, row, recordingRunRef, step, wanted);
          };
        });
  }

  private StepClaimResult claim(
      Tx tx, RecordingRow row, RecordingRunRef recordingRunRef, StepName step, boolean wanted) {
    if (row.steps().of(step).over()) {
      return new StepClaimResult.StepAlreadyDone();
    }
    RecordingSteps steps = row.steps().with(step, it -> it.begun(time.instant()));
    RecordingRow claimed =
        tx.sql(
                """
                update recordings set steps = ?, epoch = epoch + 1, updated_at = now()
                where recording_id = ? returning\s"""
                    + RecordingRow.COLUMNS)
            .with(steps.write(), row.id())
            .one(RecordingRow::of);
    if (step.sync() && wanted) {
      sync.stepStarted(tx, claimed, step);
    }
    return new StepClaimResult.StepClaimed(
        new StepClaim(recordingRunRef, step, claimed.epoch(), claimed));
  }

  /**
   * Commits a step with its output, and updates the sync status if it is one of its steps.
   *
   * @throws Stale when another worker has claimed the step; nothing is written then
   */
  void commit(StepClaim claim, StepResult.StepDone stepDone) {
    database.run(
        tx -> {
          if (!change(
              tx,
              claim,
              it ->
                  it.ended(
                      RecordingStep.RecordingStepState.DONE,
                      time.instant(),
                      truncated(stepDone.detail())))) {
            throw new StepClaimLost(claim);
          }
          stepDone.output().write(tx);
          if (claim.step().sync()) {
            sync.done(tx, claim.row(), claim.step());
          }
        });
  }

  void skip(StepClaim claim, String why) {
    database.run(
        tx -> {
          if (!change(
              tx,
              claim,
              it ->
                  it.ended(
                      RecordingStep.RecordingStepState.SKIPPED, time.instant(), truncated(why)))) {
            throw new StepClaimLost(claim);
          }
        });
  }

  /** Stores the progress of a step. */
  void progress(StepClaim claim, double fraction) {
    database.run(
        tx -> {
          if (!change(tx, claim, it -> it.at(fraction))) {
            throw new StepClaimLost(claim);
          }
        });
  }

  /** Writes an intermediate result, while the claim is valid. */
  void write(StepClaim claim, StepResult.StepOutputWriter stepOutputWriter) {
    database.run(
        tx -> {
          if (current(tx, claim).isEmpty()) {
            throw new StepClaimLost(claim);
          }
          stepOutputWriter.write(tx);
        });
  }

  /** Records the error of an attempt; a failure to record it is ignored. */
  void troubled(StepClaim claim, String why) {
    try {
      database.run(
          tx -> {
            boolean _ = change(tx, claim, it -> it.troubled(truncated(why), false, time.instant()));
          });
    } catch (StoreUnavailable | SqlFailure away) {
      log.debug("the error of a step was not recorded", away);
    }
  }

  /** Ends a run with a permanently failed step; the same transaction updates the sync status. */
  RecordingTransitionResult failed(RecordingRunRef recordingRunRef, StepName step, String why) {
    return database.transaction(
        tx -> {
          Instant now = time.instant();
          RecordingTransitions.lock(tx, recordingRunRef.recordingId())
              .filter(row -> row.run() == recordingRunRef.run() && !row.status().terminal())
              .ifPresent(
                  row ->
                      write(
                          tx,
                          row,
                          row.steps().with(step, it -> it.troubled(truncated(why), true, now))));
          RecordingTransitionResult recordingTransitionResult =
              transitions.apply(
                  tx,
                  recordingRunRef.recordingId(),
                  recordingRunRef.run(),
                  new RecordingEvent.StepFailed(truncated(step.wireName() + ": " + why)),
                  "workflow");
          if (recordingTransitionResult
              instanceof RecordingTransitionResult.RecordingMoved(RecordingRow row)) {
            sync.failed(tx, row, step, truncated(why));
          }
          return recordingTransitionResult;
        });
  }

  private static Optional<RecordingRow> current(Tx tx, StepClaim claim) {
    return RecordingTransitions.lock(tx, claim.recordingId())
        .filter(row -> row.epoch() == claim.epoch() && row.run() == claim.order().run());
  }

  private static boolean change(Tx tx, StepClaim claim, UnaryOperator<RecordingStep> change) {
    Optional<RecordingRow> row = current(tx, claim);
    row.ifPresent(it -> write(tx, it, it.steps().with(claim.step(), change)));
    return row.isPresent();
  }

  private static void write(Tx tx, RecordingRow row, RecordingSteps steps) {
    int _ =
        tx.sql("update recordings set steps = ?, updated_at = now() where recording_id = ?")
            .with(steps.write(), row.id())
            .update();
  }

  private static String truncated(String text) {
    String clean = text.replace("\0", "");
    return clean.length() > WORDS_MAX ? clean.substring(0, WORDS_MAX) : clean;
  }
}
