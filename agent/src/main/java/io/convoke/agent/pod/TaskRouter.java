package io.convoke.agent.pod;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.AttemptHandler;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.dispatch.TaskJson;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Routes tasks to handlers by type: opens tokens, redacts them in outcomes, counts and logs. Only
 * the handler sees the opened task.
 */
final class TaskRouter implements AttemptHandler {
  private static final Logger log = LoggerFactory.getLogger(TaskRouter.class);

  private final Map<String, TaskHandler> byType;
  private final Optional<TaskHandler> others;
  private final AccessTokenSealer tokens;
  private final PodMetrics meters;

  /** {@code others} handles the types that {@code byType} lacks. */
  TaskRouter(
      Map<String, TaskHandler> byType,
      Optional<TaskHandler> others,
      AccessTokenSealer tokens,
      PodMetrics meters) {
    this.byType = Map.copyOf(byType);
    this.others = others;
    this.tokens = tokens;
    this.meters = meters;
  }

  @Override
  public AttemptOutcome run(TaskAttempt run) throws InterruptedException {
    Task task = run.task();
    Optional<TaskHandler> handler = Optional.ofNullable(byType.get(task.type())).or(() -> others);
    if (handler.isEmpty()) {
      return new AttemptOutcome.AttemptRetry("this pod has no handler for " + task.type());
    }
    ObjectNode opened;
    try {
      opened = tokens.open(TaskJson.full(task));
    } catch (SecretBox.UnsealFailure e) {
      log.atError()
          .addKeyValue("task_id", task.id())
          .log("Cannot open the access token of a task: {}", e.getMessage());
      return new AttemptOutcome.AttemptRetry(
          "its access token cannot be opened here: " + e.getMessage());
    }
    return run(handler.get(), TaskContext.of(run, opened), new SecretRedactor(opened));
  }

  private AttemptOutcome run(TaskHandler handler, TaskContext task, SecretRedactor secretRedactor)
      throws InterruptedException {
    logTask(task, "started");
    long began = System.nanoTime();
    try {
      AttemptOutcome attemptOutcome = secretRedactor.redact(handler.run(task));
      meters.ended(attemptOutcome, System.nanoTime() - began);
      logTask(task, describe(attemptOutcome));
      return attemptOutcome;
    } catch (InterruptedException e) {
      meters.interrupted(System.nanoTime() - began);
      logTask(task, "interrupted: lease lost or pod shutting down");
      throw e;
    } catch (Exception | Error e) {
      // An error in one handler must not end the others.
      AttemptOutcome attemptOutcome =
          new AttemptOutcome.AttemptFailed(secretRedactor.redact(e.toString()));
      meters.ended(attemptOutcome, System.nanoTime() - began);
      logTask(task, "handler failed: " + secretRedactor.redact(e));
      return attemptOutcome;
    }
  }

  private static String describe(AttemptOutcome attemptOutcome) {
    return switch (attemptOutcome) {
      case AttemptOutcome.AttemptDone _ -> "succeeded";
      case AttemptOutcome.AttemptFailed(String reason) -> "failed: " + reason;
      case AttemptOutcome.AttemptRetry(String reason) -> "will be retried: " + reason;
      case AttemptOutcome.AttemptHandedBack(String reason) -> "goes back to its queue: " + reason;
    };
  }

  private static void logTask(TaskContext task, String event) {
    log.atInfo()
        .addKeyValue("task_id", task.id())
        .addKeyValue("type", task.type())
        .addKeyValue("attempt", task.attempt())
        .addKeyValue("worker_id", task.workerId())
        .log("Task {} {}", task.id(), event);
  }
}
