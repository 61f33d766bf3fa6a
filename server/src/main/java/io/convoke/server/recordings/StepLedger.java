package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.recordings.RecordingTransitions.Applied;
import io.convoke.server.recordings.RecordingWorkflow.Order;
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
final class StepLedger {
  private static final Logger log = LoggerFactory.getLogger(StepLedger.class);
  private static final int WORDS_MAX = 500;

  private final Database database;
  private final RecordingTransitions transitions;
  private final MeetingSync sync;
  private final InstantSource time;

  StepLedger(
      Database database, RecordingTransitions transitions, MeetingSync sync, InstantSource time) {
    this.database = database;
    this.transitions = transitions;
    this.sync = sync;
    this.time = time;
  }

  /** What came of a claim. */
  sealed interface Begun {
    record Claimed(StepClaim claim) implements Begun {}

    /** It was committed before. */
    record Already() implements Begun {}

    /** The run is over. */
    record Over() implements Begun {}
  }

  /** Another worker has claimed the step. */
  static final class Stale extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stale(StepClaim claim) {
      super("step " + claim.step().word() + " of " + claim.recordingId() + " is not ours any more");
    }
  }

  /**
   * Claims a step; the first claim of a run begins the processing.
   *
   * @param wanted whether there is work to do, which the sync status then shows
   */
  Begun begin(Order order, StepName step, boolean wanted) {
    return database.transaction(
        tx -> {
          Applied applied =
              transitions.apply(
                  tx, order.recordingId(), order.run(), new RecordingEvent.Begun(), "workflow");
          return switch (applied) {
            case Applied.Missing _, Applied.Refused _ -> new Begun.Over();
            case Applied.Moved(RecordingRow row) -> claim(tx, row, order, step, wanted);
            case Applied.Unchanged(RecordingRow row) -> claim(tx, row, order, step, wanted);
          };
        });
  }

  private Begun claim(Tx tx, RecordingRow row, Order order, StepName step, boolean wanted) {
    if (row.steps().of(step).over()) {
      return new Begun.Already();
    }
    WorkSteps steps = row.steps().with(step, it -> it.begun(time.instant()));
    RecordingRow claimed =
        tx.sql(
                """
                update recordings set steps = ?, epoch = epoch + 1, updated_at = now()
                where recording_id = ? returning\s"""
                    + RecordingRow.COLUMNS)
            .with(steps.write(), row.id())
            .one(RecordingRow::of);
    if (step.sync() && wanted) {
      sync.begun(tx, claimed, step);
    }
    return new Begun.Claimed(new StepClaim(order, step, claimed.epoch(), claimed));
  }

  /**
   * Commits a step with its output, and updates the sync status if it is one of its steps. @throws
   * Stale when another worker has claimed the step; nothing is written then
   */
  void commit(StepClaim claim, StepResult.Done done) {
    database.run(
        tx -> {
          if (!change(
              tx,
              claim,
              it -> it.ended(WorkStep.State.DONE, time.instant(), words(done.detail())))) {
            throw new Stale(claim);
          }
          done.output().write(tx);
          if (claim.step().sync()) {
            sync.done(tx, claim.row(), claim.step());
          }
        });
  }

  void skip(StepClaim claim, String why) {
    database.run(
        tx -> {
          if (!change(
              tx, claim, it -> it.ended(WorkStep.State.SKIPPED, time.instant(), words(why)))) {
            throw new Stale(claim);
          }
        });
  }

  /** Shows how far a step is. */
  void progress(StepClaim claim, double fraction) {
    database.run(
        tx -> {
          if (!change(tx, claim, it -> it.at(fraction))) {
            throw new Stale(claim);
          }
        });
  }

  /** Writes something in between, while the claim is ours. */
  void write(StepClaim claim, StepResult.Output output) {
    database.run(
        tx -> {
          if (current(tx, claim).isEmpty()) {
            throw new Stale(claim);
          }
          output.write(tx);
        });
  }

  /** Notes why it did not work this time; not worth failing over. */
  void troubled(StepClaim claim, String why) {
    try {
      database.run(
          tx -> {
            boolean _ = change(tx, claim, it -> it.troubled(words(why), false, time.instant()));
          });
    } catch (StoreUnavailable | SqlFailure away) {
      log.debug("the trouble of a step was not noted", away);
    }
  }

  /** Ends a run with a permanently failed step; the same transaction updates the sync status. */
  Applied failed(Order order, StepName step, String why) {
    return database.transaction(
        tx -> {
          Instant now = time.instant();
          RecordingTransitions.lock(tx, order.recordingId())
              .filter(row -> row.run() == order.run() && !row.status().terminal())
              .ifPresent(
                  row ->
                      write(
                          tx,
                          row,
                          row.steps().with(step, it -> it.troubled(words(why), true, now))));
          Applied applied =
              transitions.apply(
                  tx,
                  order.recordingId(),
                  order.run(),
                  new RecordingEvent.StepFailed(words(step.word() + ": " + why)),
                  "workflow");
          if (applied instanceof Applied.Moved(RecordingRow row)) {
            sync.failed(tx, row, step, words(why));
          }
          return applied;
        });
  }

  private static Optional<RecordingRow> current(Tx tx, StepClaim claim) {
    return RecordingTransitions.lock(tx, claim.recordingId())
        .filter(row -> row.epoch() == claim.epoch() && row.run() == claim.order().run());
  }

  private static boolean change(Tx tx, StepClaim claim, UnaryOperator<WorkStep> change) {
    Optional<RecordingRow> row = current(tx, claim);
    row.ifPresent(it -> write(tx, it, it.steps().with(claim.step(), change)));
    return row.isPresent();
  }

  private static void write(Tx tx, RecordingRow row, WorkSteps steps) {
    int _ =
        tx.sql("update recordings set steps = ?, updated_at = now() where recording_id = ?")
            .with(steps.write(), row.id())
            .update();
  }

  private static String words(String text) {
    String clean = text.replace("\0", "");
    return clean.length() > WORDS_MAX ? clean.substring(0, WORDS_MAX) : clean;
  }
}
