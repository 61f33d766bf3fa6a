package io.convoke.agent.pod;

import io.convoke.engine.dispatch.Handler;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskJson;
import io.convoke.engine.dispatch.TaskRun;
import io.convoke.engine.seal.AccessTokens;
import io.convoke.engine.seal.SecretBox;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What stands between a pod and its handlers: opens tokens, picks the handler by the task's type,
 * keeps tokens out of what comes back, counts and logs. The opened task goes to the handler alone.
 */
final class Reception implements Handler {
  private static final Logger log = LoggerFactory.getLogger(Reception.class);

  private final Map<String, TaskHandler> byType;
  private final Optional<TaskHandler> others;
  private final AccessTokens tokens;
  private final PodMeters meters;

  /** {@code others} gets what no type names. */
  Reception(
      Map<String, TaskHandler> byType,
      Optional<TaskHandler> others,
      AccessTokens tokens,
      PodMeters meters) {
    this.byType = Map.copyOf(byType);
    this.others = others;
    this.tokens = tokens;
    this.meters = meters;
  }

  @Override
  public Outcome run(TaskRun run) throws InterruptedException {
    Task task = run.task();
    Optional<TaskHandler> handler = Optional.ofNullable(byType.get(task.type())).or(() -> others);
    if (handler.isEmpty()) {
      return new Outcome.TryAgain("this pod has no handler for " + task.type());
    }
    ObjectNode opened;
    try {
      opened = tokens.open(TaskJson.full(task));
    } catch (SecretBox.CannotOpen e) {
      log.atError()
          .addKeyValue("task_id", task.id())
          .log("the access token of a task cannot be opened: {}", e.getMessage());
      return new Outcome.TryAgain("its access token cannot be opened here: " + e.getMessage());
    }
    return run(handler.get(), Assignment.of(run, opened), new Discretion(opened));
  }

  private Outcome run(TaskHandler handler, Assignment task, Discretion discretion)
      throws InterruptedException {
    say(task, "begins");
    long began = System.nanoTime();
    try {
      Outcome outcome = discretion.hide(handler.run(task));
      meters.ended(outcome, System.nanoTime() - began);
      say(task, words(outcome));
      return outcome;
    } catch (InterruptedException e) {
      meters.interrupted(System.nanoTime() - began);
      say(task, "was interrupted: its lease is lost, or its pod ends");
      throw e;
    } catch (Exception | Error e) {
      // An error of one handler is not the end of the others.
      Outcome outcome = new Outcome.Failed(discretion.hide(e.toString()));
      meters.ended(outcome, System.nanoTime() - began);
      say(task, "failed in its handler: " + discretion.hide(e));
      return outcome;
    }
  }

  private static String words(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done _ -> "is done";
      case Outcome.Failed(String reason) -> "failed: " + reason;
      case Outcome.TryAgain(String reason) -> "is to be tried again: " + reason;
    };
  }

  private static void say(Assignment task, String words) {
    log.atInfo()
        .addKeyValue("task_id", task.id())
        .addKeyValue("type", task.type())
        .addKeyValue("attempt", task.attempt())
        .addKeyValue("worker_id", task.workerId())
        .log("task {} {}", task.id(), words);
  }
}
