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
 * Has another task made instead of one that ended badly: an end is an end (seed 004, "No retry"),
 * so the old one stays what it is. The new one's id and request follow from the old one's id, so
 * whoever asks again gets the same one.
 */
final class TaskRequeuer {
  private final DispatchService dispatchService;
  private final SecretBox secrets;

  TaskRequeuer(DispatchService dispatchService, SecretBox secrets) {
    this.dispatchService = dispatchService;
    this.secrets = secrets;
  }

  /** A task, and what became of the wish to have it made anew. */
  record RequeuedTask(Task task, NewTask instead, EnqueueResult enqueued) {}

  /** Whether what was asked for then would be accepted today. */
  static boolean fits(Task dead) {
    return NewTask.payloadBytes(dead.payload()) <= NewTask.PAYLOAD_BYTES_MAX;
  }

  /** Makes one; the same one if it is there already. */
  RequeuedTask make(Task dead) {
    NewTask instead = instead(dead);
    return new RequeuedTask(dead, instead, dispatchService.submit(instead));
  }

  /**
   * What came of several: of those that could not be asked for, the failure.
   *
   * @param failure a store was out of reach; asking again goes on where this ended
   */
  record RequeueSummary(List<RequeuedTask> made, Optional<RuntimeException> failure) {}

  /** Makes several at once, so that they share the ledger's commits. */
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

  private NewTask instead(Task dead) {
    List<String> ids = TaskIdGenerator.instead(secrets, dead.id());
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
        // As it is kept: its tokens are sealed already.
        (ObjectNode) dead.payload(),
        dead.spec().path("unique").asString("").equals("channel"),
        dead.userId());
  }
}
