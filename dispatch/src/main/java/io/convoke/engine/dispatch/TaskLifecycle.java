package io.convoke.engine.dispatch;

import io.convoke.engine.state.Lifecycle;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionTable;
import io.convoke.engine.state.TransitionTable.Transition;
import java.util.List;

/**
 * The reducer of a task. The Lua scripts implement the same transitions; a model test compares the
 * two.
 *
 * <pre>
 *              PENDING                     PROCESSING, by its holder        terminal
 * claim        -> PROCESSING, attempt + 1  refused                          refused
 *   late       -> TIMEOUT                  refused                          refused
 * renew        refused                     unchanged                        refused
 * complete     refused                     -> SUCCESS                       unchanged
 * fail         refused                     -> FAILED; stopping: SUCCESS     unchanged
 * try again    refused                     -> PENDING; after the last       unchanged
 *                                          attempt FAILED; stopping: SUCCESS
 * hand back    refused                     as try again, not a failure      unchanged
 * stop         -> FAILED                   stopping                         unchanged
 * expire       -> TIMEOUT                  refused                          refused
 * reclaim      refused                     as try again                     refused
 * overflow     unchanged                   refused                          refused
 * </pre>
 *
 * <p>Reports of an attempt that is not the current one are refused. A task that is to stop never
 * becomes PENDING again, so a stopped task does not start. The last attempt is the one after which
 * as many consecutive attempts have failed as allowed; an attempt that was renewed for a whole
 * lease or longer resets that count, within {@link #ATTEMPTS_EACH} times as many attempts in all.
 */
public final class TaskLifecycle implements Lifecycle<TaskStateSnapshot, TaskEvent> {
  /** Every legal transition, by state names. */
  public static final TransitionTable TABLE =
      TransitionTable.of(
          List.of(
              new Transition("PENDING", "Claim", "PROCESSING"),
              new Transition("PENDING", "Claim", "TIMEOUT"),
              new Transition("PENDING", "Stop", "FAILED"),
              new Transition("PENDING", "Expire", "TIMEOUT"),
              new Transition("PROCESSING", "Complete", "SUCCESS"),
              new Transition("PROCESSING", "Fail", "FAILED"),
              new Transition("PROCESSING", "Fail", "SUCCESS"),
              new Transition("PROCESSING", "TryAgain", "PENDING"),
              new Transition("PROCESSING", "TryAgain", "FAILED"),
              new Transition("PROCESSING", "TryAgain", "SUCCESS"),
              new Transition("PROCESSING", "HandBack", "PENDING"),
              new Transition("PROCESSING", "HandBack", "FAILED"),
              new Transition("PROCESSING", "HandBack", "SUCCESS"),
              new Transition("PROCESSING", "Stop", "PROCESSING"),
              new Transition("PROCESSING", "Reclaim", "PENDING"),
              new Transition("PROCESSING", "Reclaim", "FAILED"),
              new Transition("PROCESSING", "Reclaim", "SUCCESS")));

  /** Attempts in all, for each consecutive failure allowed beyond the first. */
  static final int ATTEMPTS_EACH = 20;

  private final int maxAttempts;

  public TaskLifecycle(int maxAttempts) {
    this.maxAttempts = maxAttempts;
  }

  @Override
  public LifecycleStep<TaskStateSnapshot> next(TaskStateSnapshot task, TaskEvent event) {
    return switch (task.state()) {
      case PENDING -> pending(task, event);
      case PROCESSING -> processing(task, event);
      case SUCCESS, FAILED, TIMEOUT -> over(task, event);
    };
  }

  private static LifecycleStep<TaskStateSnapshot> pending(TaskStateSnapshot task, TaskEvent event) {
    return switch (event) {
      case TaskEvent.Claim(boolean late) when late ->
          new LifecycleStep.StateChanged<>(task.to(TaskState.TIMEOUT), "waited too long");
      case TaskEvent.Claim _ ->
          new LifecycleStep.StateChanged<>(task.claimed(), "claimed by a pod");
      case TaskEvent.Stop _ ->
          new LifecycleStep.StateChanged<>(task.stopped(TaskState.FAILED), "stopped");
      case TaskEvent.Expire _ ->
          new LifecycleStep.StateChanged<>(task.to(TaskState.TIMEOUT), "waited too long");
      case TaskEvent.Overflow _ -> new LifecycleStep.StateUnchanged<>("waits in the global queue");
      case TaskEvent.Renew _,
          TaskEvent.Complete _,
          TaskEvent.Fail _,
          TaskEvent.TryAgain _,
          TaskEvent.HandBack _,
          TaskEvent.Reclaim _ ->
          new LifecycleStep.EventRefused<>("no pod holds it");
    };
  }

  private LifecycleStep<TaskStateSnapshot> processing(TaskStateSnapshot task, TaskEvent event) {
    return switch (event) {
      case TaskEvent.Renew(int attempt) ->
          attempt == task.attempt() ? new LifecycleStep.StateUnchanged<>("renewed") : stale();
      case TaskEvent.Complete(int attempt) ->
          attempt == task.attempt()
              ? new LifecycleStep.StateChanged<>(task.to(TaskState.SUCCESS), "done")
              : stale();
      case TaskEvent.Fail(int attempt) when attempt == task.attempt() ->
          task.stop()
              ? stopped(task)
              : new LifecycleStep.StateChanged<>(task.to(TaskState.FAILED), "cannot be done");
      case TaskEvent.Fail _ -> stale();
      case TaskEvent.TryAgain(int attempt, boolean ranLong) ->
          attempt == task.attempt() ? back(task, 1, ranLong, "to be tried again") : stale();
      case TaskEvent.HandBack(int attempt, boolean ranLong) ->
          attempt == task.attempt() ? back(task, 0, ranLong, "handed back") : stale();
      case TaskEvent.Reclaim(boolean ranLong) -> back(task, 1, ranLong, "its lease ended");
      case TaskEvent.Stop _ ->
          task.stop()
              ? new LifecycleStep.StateUnchanged<>("is to stop already")
              : new LifecycleStep.StateChanged<>(task.stopped(TaskState.PROCESSING), "is to stop");
      case TaskEvent.Claim _, TaskEvent.Expire _, TaskEvent.Overflow _ ->
          new LifecycleStep.EventRefused<>("a pod holds it");
    };
  }

  private static LifecycleStep<TaskStateSnapshot> over(TaskStateSnapshot task, TaskEvent event) {
    return switch (event) {
      case TaskEvent.Complete(int attempt) -> repeated(task, attempt);
      case TaskEvent.Fail(int attempt) -> repeated(task, attempt);
      case TaskEvent.TryAgain(int attempt, boolean _) -> repeated(task, attempt);
      case TaskEvent.HandBack(int attempt, boolean _) -> repeated(task, attempt);
      case TaskEvent.Stop _ -> new LifecycleStep.StateUnchanged<>("has ended");
      case TaskEvent.Claim _,
          TaskEvent.Renew _,
          TaskEvent.Expire _,
          TaskEvent.Reclaim _,
          TaskEvent.Overflow _ ->
          new LifecycleStep.EventRefused<>("has ended");
    };
  }

  private static LifecycleStep<TaskStateSnapshot> repeated(TaskStateSnapshot task, int attempt) {
    return attempt == task.attempt() ? new LifecycleStep.StateUnchanged<>("has ended") : stale();
  }

  private LifecycleStep<TaskStateSnapshot> back(
      TaskStateSnapshot before, int failed, boolean ranLong, String reason) {
    TaskStateSnapshot task = before.tried(ranLong ? 0 : before.tries() + failed);
    if (task.stop()) {
      return stopped(task);
    }
    return task.tries() >= maxAttempts || task.attempt() > ATTEMPTS_EACH * (maxAttempts - 1)
        ? new LifecycleStep.StateChanged<>(task.to(TaskState.FAILED), "gave up: " + reason)
        : new LifecycleStep.StateChanged<>(task.to(TaskState.PENDING), reason);
  }

  private static LifecycleStep<TaskStateSnapshot> stopped(TaskStateSnapshot task) {
    return new LifecycleStep.StateChanged<>(task.to(TaskState.SUCCESS), "stopped");
  }

  private static LifecycleStep<TaskStateSnapshot> stale() {
    return new LifecycleStep.EventRefused<>("another attempt runs, or none");
  }
}
