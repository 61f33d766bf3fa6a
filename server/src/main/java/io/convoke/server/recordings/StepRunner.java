package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.server.recordings.RecordingTransitions.RecordingTransitionResult;
import io.convoke.server.recordings.RecordingWorkflow.RecordingRunRef;
import io.convoke.server.recordings.RecordingWorkflow.StepFailureException;
import io.convoke.server.recordings.RecordingWorkflow.StepOutcome;
import io.convoke.server.recordings.StepStore.StepClaimResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one step: under the lock, claimed in the row, its output and its completion committed
 * together. A failure that a retry may fix is recorded in the row and thrown, so that the engine
 * retries.
 */
final class StepRunner {
  private static final Logger log = LoggerFactory.getLogger(StepRunner.class);

  private final RecordingLock lock;
  private final StepStore ledger;
  private final RecordingTransitions transitions;
  private final Map<StepName, StepHandler> works;
  private final BlobsToDelete blobsToDelete;
  private final RecordingMetrics meters;

  StepRunner(
      RecordingLock lock,
      StepStore ledger,
      RecordingTransitions transitions,
      List<StepHandler> works,
      BlobsToDelete blobsToDelete,
      RecordingMetrics meters) {
    this.lock = lock;
    this.ledger = ledger;
    this.transitions = transitions;
    this.works =
        works.stream().collect(java.util.stream.Collectors.toMap(StepHandler::name, work -> work));
    this.blobsToDelete = blobsToDelete;
    this.meters = meters;
  }

  StepOutcome run(StepName step, RecordingRunRef recordingRunRef, ActivityContext context)
      throws Exception {
    StepOutcome stepOutcome =
        lock.around(
            recordingRunRef, context.attempt() == 1, () -> locked(step, recordingRunRef, context));
    if (stepOutcome.kind() == StepOutcome.StepOutcomeKind.OVER) {
      blobsToDelete.deleteLate(recordingRunRef.recordingId());
    }
    return stepOutcome;
  }

  /** Every step is over. */
  String finish(RecordingRunRef recordingRunRef) {
    RecordingTransitionResult recordingTransitionResult =
        transitions.apply(
            recordingRunRef.recordingId(),
            recordingRunRef.run(),
            new RecordingEvent.WorkFinished(),
            "workflow");
    return recordingTransitionResult
            instanceof RecordingTransitionResult.RecordingMoved(RecordingRow row)
        ? row.status().wireName()
        : "over";
  }

  /** A step failed for good. */
  String fail(StepFailureException stepFailureException) {
    RecordingTransitionResult recordingTransitionResult =
        ledger.failed(
            stepFailureException.order(), stepFailureException.step(), stepFailureException.why());
    if (recordingTransitionResult
        instanceof RecordingTransitionResult.RecordingMoved(RecordingRow row)) {
      log.warn(
          "recording {} failed at {}: {}",
          row.id(),
          stepFailureException.step().wireName(),
          stepFailureException.why());
      return row.status().wireName();
    }
    blobsToDelete.deleteLate(stepFailureException.order().recordingId());
    return "over";
  }

  private StepOutcome locked(
      StepName step, RecordingRunRef recordingRunRef, ActivityContext context) throws Exception {
    return switch (ledger.begin(recordingRunRef, step, work(step).wanted())) {
      case StepClaimResult.StepRunOver _ -> StepOutcome.over();
      case StepClaimResult.StepAlreadyDone _ -> StepOutcome.done();
      case StepClaimResult.StepClaimed(StepClaim claim) -> claimed(step, claim, context);
    };
  }

  private StepOutcome claimed(StepName step, StepClaim claim, ActivityContext context)
      throws Exception {
    StepHandler work = work(step);
    long began = System.nanoTime();
    String how = "again";
    try {
      StepOutcome stepOutcome =
          switch (work.run(claim, context)) {
            case StepResult.StepDone stepDone -> {
              ledger.commit(claim, stepDone);
              yield StepOutcome.done();
            }
            case StepResult.StepSkipped(String why) -> {
              ledger.skip(claim, why);
              yield StepOutcome.done();
            }
            case StepResult.StepFailedForGood(String why) -> StepOutcome.failed(why);
          };
      how = stepOutcome.kind().name().toLowerCase(java.util.Locale.ROOT);
      return stepOutcome;
    } catch (StepStore.StepClaimLost stepClaimLost) {
      how = "over";
      return StepOutcome.over();
    } catch (InterruptedException stopped) {
      throw stopped;
    } catch (Exception trouble) {
      ledger.troubled(claim, messageOf(trouble));
      throw trouble;
    } finally {
      meters.ended(step, how, Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private StepHandler work(StepName step) {
    return java.util.Objects.requireNonNull(works.get(step));
  }

  private static String messageOf(Exception trouble) {
    String message = trouble.getMessage();
    return message == null ? trouble.getClass().getSimpleName() : message;
  }
}
