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
 * What stands between a pod and its handlers: opens tokens, picks the handler by the task's type,
 * keeps tokens out of what comes back, counts and logs. The opened task goes to the handler alone.
 */
final class TaskRouter implements AttemptHandler {
  private static final Logger log = LoggerFactory.getLogger(TaskRouter.class);

  private final Map<String, TaskHandler> byType;
  private final Optional<TaskHandler> others;
  private final AccessTokenSealer tokens;
  private final PodMetrics meters;

  /** {@code others} gets what no type names. */
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
          .log("the access token of a task cannot be opened: {}", e.getMessage());
      return new AttemptOutcome.AttemptRetry(
          "its access token cannot be opened here: " + e.getMessage());
    }
    return run(handler.get(), TaskContext.of(run, opened), new SecretRedactor(opened));
  }

  private AttemptOutcome run(TaskHandler handler, TaskContext task, SecretRedactor secretRedactor)
      throws InterruptedException {
    say(task, "begins");
    long began = System.nanoTime();
    try {
      AttemptOutcome attemptOutcome = secretRedactor.hide(handler.run(task));
      meters.ended(attemptOutcome, System.nanoTime() - began);
      say(task, words(attemptOutcome));
      return attemptOutcome;
    } catch (InterruptedException e) {
      meters.interrupted(System.nanoTime() - began);
      say(task, "was interrupted: its lease is lost, or its pod ends");
      throw e;
    } catch (Exception | Error e) {
      // An error of one handler is not the end of the others.
      AttemptOutcome attemptOutcome =
          new AttemptOutcome.AttemptFailed(secretRedactor.hide(e.toString()));
      meters.ended(attemptOutcome, System.nanoTime() - began);
      say(task, "failed in its handler: " + secretRedactor.hide(e));
      return attemptOutcome;
    }
  }

  private static String words(AttemptOutcome attemptOutcome) {
    return switch (attemptOutcome) {
      case AttemptOutcome.AttemptDone _ -> "is done";
      case AttemptOutcome.AttemptFailed(String reason) -> "failed: " + reason;
      case AttemptOutcome.AttemptRetry(String reason) -> "is to be tried again: " + reason;
    };
  }

  private static void say(TaskContext task, String words) {
    log.atInfo()
        .addKeyValue("task_id", task.id())
        .addKeyValue("type", task.type())
        .addKeyValue("attempt", task.attempt())
        .addKeyValue("worker_id", task.workerId())
        .log("task {} {}", task.id(), words);
  }
}
