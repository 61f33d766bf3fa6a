package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.WorkflowCancelledException;
import io.convoke.engine.durable.WorkflowContext;
import java.time.Duration;

/**
 * The work on one recording, a run of it each time that it becomes ready: download, transcription,
 * and the three steps of the sync, one after another. A committed step is not repeated, in this run
 * or a later one, unless a user names it or a retry finds its note outdated.
 */
public final class RecordingWorkflow {
  /** The workflow's name; {@code recording-abc} is that of recording abc, its first run. */
  public static final String NAME = "recording";

  private static final String STEP = "recording.";
  private static final String FINISH = "recording.finish";
  private static final String FAIL = "recording.fail";
  private static final Duration STEP_MAX = Duration.ofHours(6);

  private final StepRunner runner;
  private final ActivityOptions patiently;

  RecordingWorkflow(StepRunner runner, RecordingConfig terms) {
    this.runner = runner;
    this.patiently = ActivityOptions.retried(terms.retry());
  }

  /** Which recording, and which run of it. */
  record RecordingRunRef(String recordingId, int run) {
    String workflow() {
      return RecordingRow.workflow(recordingId, run);
    }
  }

  /** A step that ended the run. */
  record StepFailureException(RecordingRunRef order, StepName step, String why) {}

  /** The result of a step. */
  record StepOutcome(StepOutcomeKind kind, String why) {
    enum StepOutcomeKind {
      DONE,
      /** For good. */
      FAILED,
      /** The run is over: the recording was deleted, or another run has begun. */
      OVER
    }

    static StepOutcome done() {
      return new StepOutcome(StepOutcomeKind.DONE, "");
    }

    static StepOutcome failed(String why) {
      return new StepOutcome(StepOutcomeKind.FAILED, why);
    }

    static StepOutcome over() {
      return new StepOutcome(StepOutcomeKind.OVER, "");
    }
  }

  /** Adds the workflow and its activities to an engine. */
  void register(Durable.Builder builder) {
    Durable.Builder more = builder.workflow(NAME, RecordingRunRef.class, this::run);
    for (StepName step : StepName.values()) {
      more =
          more.activity(
              STEP + step.wireName(),
              // A transcription may take hours; downloads and pushes do not wait for it.
              step == StepName.TRANSCRIBE ? "transcription" : "recordings",
              RecordingRunRef.class,
              (ActivityContext context, RecordingRunRef recordingRunRef) ->
                  runner.run(step, recordingRunRef, context));
    }
    var _ =
        more.activity(
                FINISH,
                RecordingRunRef.class,
                (context, recordingRunRef) -> runner.finish(recordingRunRef))
            .activity(
                FAIL,
                StepFailureException.class,
                (context, stepFailureException) -> runner.fail(stepFailureException));
  }

  private String run(WorkflowContext context, RecordingRunRef recordingRunRef) {
    for (StepName step : StepName.values()) {
      context.status(step.wireName());
      StepOutcome stepOutcome = step(context, step, recordingRunRef);
      switch (stepOutcome.kind()) {
        case DONE -> {}
        case OVER -> {
          return "over";
        }
        case FAILED -> {
          context.status("failed at " + step.wireName());
          return context.activity(
              FAIL,
              new StepFailureException(recordingRunRef, step, stepOutcome.why()),
              String.class,
              patiently);
        }
      }
    }
    String end = context.activity(FINISH, recordingRunRef, String.class, patiently);
    context.status(end);
    return end;
  }

  private StepOutcome step(
      WorkflowContext context, StepName step, RecordingRunRef recordingRunRef) {
    try {
      return context.activity(
          STEP + step.wireName(), recordingRunRef, StepOutcome.class, patiently.within(STEP_MAX));
    } catch (ActivityFailedException failed) {
      return StepOutcome.failed(String.valueOf(failed.getMessage()));
    } catch (WorkflowCancelledException cancelled) {
      return StepOutcome.failed("cancelled: " + cancelled.getMessage());
    }
  }
}
