package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.ActivityFailed;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.WorkflowCancelled;
import io.convoke.engine.durable.WorkflowContext;
import java.time.Duration;

/**
 * The work on one recording, a run of it each time that it becomes ready: download, transcription,
 * and the three steps of the sync, one after another. A committed step is not repeated, in this run
 * or a later one, unless a user names it.
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

  RecordingWorkflow(StepRunner runner, RecordingTerms terms) {
    this.runner = runner;
    this.patiently = ActivityOptions.retried(terms.retry());
  }

  /** Which recording, and which run of it. */
  record Order(String recordingId, int run) {
    String workflow() {
      return RecordingRow.workflow(recordingId, run);
    }
  }

  /** A step that ended the run. */
  record Failure(Order order, StepName step, String why) {}

  /** The result of a step. */
  record Outcome(Kind kind, String why) {
    enum Kind {
      DONE,
      /** For good. */
      FAILED,
      /** The run is over: deleted, or another has begun. */
      OVER
    }

    static Outcome done() {
      return new Outcome(Kind.DONE, "");
    }

    static Outcome failed(String why) {
      return new Outcome(Kind.FAILED, why);
    }

    static Outcome over() {
      return new Outcome(Kind.OVER, "");
    }
  }

  /** Adds the workflow and its activities to an engine. */
  void register(Durable.Builder builder) {
    Durable.Builder more = builder.workflow(NAME, Order.class, this::run);
    for (StepName step : StepName.values()) {
      more =
          more.activity(
              STEP + step.word(),
              // A transcription may take hours; downloads and pushes do not wait for it.
              step == StepName.TRANSCRIBE ? "transcription" : "recordings",
              Order.class,
              (ActivityContext context, Order order) -> runner.run(step, order, context));
    }
    var _ =
        more.activity(FINISH, Order.class, (context, order) -> runner.finish(order))
            .activity(FAIL, Failure.class, (context, failure) -> runner.fail(failure));
  }

  private String run(WorkflowContext context, Order order) {
    for (StepName step : StepName.values()) {
      context.status(step.word());
      Outcome outcome = step(context, step, order);
      switch (outcome.kind()) {
        case DONE -> {}
        case OVER -> {
          return "over";
        }
        case FAILED -> {
          context.status("failed at " + step.word());
          return context.activity(
              FAIL, new Failure(order, step, outcome.why()), String.class, patiently);
        }
      }
    }
    String end = context.activity(FINISH, order, String.class, patiently);
    context.status(end);
    return end;
  }

  private Outcome step(WorkflowContext context, StepName step, Order order) {
    try {
      return context.activity(STEP + step.word(), order, Outcome.class, patiently.within(STEP_MAX));
    } catch (ActivityFailed failed) {
      return Outcome.failed(String.valueOf(failed.getMessage()));
    } catch (WorkflowCancelled cancelled) {
      return Outcome.failed("cancelled: " + cancelled.getMessage());
    }
  }
}
