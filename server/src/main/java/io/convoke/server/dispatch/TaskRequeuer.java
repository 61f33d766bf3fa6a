package io.convoke.server.dispatch;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.node.ObjectNode;

/**
 * Replaces a failed task by a new one; the old task keeps its final state. The new id and request
 * id derive from the old id, so that a repeated requeue finds the same task.
 */
final class TaskRequeuer {
  private final DispatchService dispatchService;
  private final SecretBox secrets;

  TaskRequeuer(DispatchService dispatchService, SecretBox secrets) {
    this.dispatchService = dispatchService;
    this.secrets = secrets;
  }

  /** A task and the result of requeueing it. */
  record RequeuedTask(Task task, NewTask instead, EnqueueResult enqueued) {}

  /** Whether the request would be accepted today. */
  static boolean fits(Task dead) {
    return NewTask.payloadBytes(dead.payload()) <= NewTask.PAYLOAD_BYTES_MAX;
  }

  /** Requeues one task; idempotent. */
  RequeuedTask make(Task dead) {
    NewTask instead = instead(dead);
    return new RequeuedTask(dead, instead, dispatchService.submit(instead));
  }

  /**
   * The results of several.
   *
   * @param failure set if a store was unreachable; a repetition continues there
   */
  record RequeueSummary(List<RequeuedTask> made, Optional<RuntimeException> failure) {}

  /** Requeues several concurrently, so that they share group commits. */
  RequeueSummary make(List<Task> dead) throws InterruptedException {
    List<RequeuedTask> made = new ArrayList<>();
    Optional<RuntimeException> failure = Optional.empty();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<RequeuedTask>> futures =
          dead.stream().map(task -> each.submit(() -> make(task))).toList();
      for (Future<RequeuedTask> future : futures) {
        try {
          made.add(future.get());
        } catch (ExecutionException e) {
          failure =
              Optional.of(
                  e.getCause() instanceof RuntimeException cause
                      ? cause
                      : new IllegalStateException(e));
        }
      }
    }
    return new RequeueSummary(made, failure);
  }

  /** The ids that a task which is made instead of a dead one may have. */
  List<String> insteadOf(Task dead) {
    return TaskIdGenerator.instead(secrets, dead.id());
  }

  private NewTask instead(Task dead) {
    List<String> ids = insteadOf(dead);
    String id =
        ids.stream()
            .skip(1)
            .filter(before -> dispatchService.find(before).isPresent())
            .findFirst()
            .orElseGet(ids::getFirst);
    return new NewTask(
        id,
        "requeue." + id,
        dead.type(),
        dead.spec().path("action").asString(),
        dead.channel(),
        dead.region(),
        // As stored: its tokens are already sealed.
        (ObjectNode) dead.payload(),
        dead.spec().path("unique").asString("").equals("channel"),
        dead.userId());
  }
}
