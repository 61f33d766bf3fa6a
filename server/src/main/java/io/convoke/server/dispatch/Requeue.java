package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Dispatch;
import io.convoke.engine.dispatch.Enqueued;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.seal.SecretBox;
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
final class Requeue {
  private final Dispatch dispatch;
  private final SecretBox secrets;

  Requeue(Dispatch dispatch, SecretBox secrets) {
    this.dispatch = dispatch;
    this.secrets = secrets;
  }

  /** A task, and what became of the wish to have it made anew. */
  record Made(Task task, NewTask instead, Enqueued enqueued) {}

  /** Whether what was asked for then would be accepted today. */
  static boolean fits(Task dead) {
    return NewTask.payloadBytes(dead.payload()) <= NewTask.PAYLOAD_BYTES_MAX;
  }

  /** Makes one; the same one if it is there already. */
  Made make(Task dead) {
    NewTask instead = instead(dead);
    return new Made(dead, instead, dispatch.submit(instead));
  }

  /**
   * What came of several: of those that could not be asked for, the failure.
   *
   * @param failure a store was out of reach; asking again goes on where this ended
   */
  record Several(List<Made> made, Optional<RuntimeException> failure) {}

  /** Makes several at once, so that they share the ledger's commits. */
  Several make(List<Task> dead) throws InterruptedException {
    List<Made> made = new ArrayList<>();
    Optional<RuntimeException> failure = Optional.empty();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Made>> futures =
          dead.stream().map(task -> each.submit(() -> make(task))).toList();
      for (Future<Made> future : futures) {
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
    return new Several(made, failure);
  }

  private NewTask instead(Task dead) {
    List<String> ids = TaskIds.instead(secrets, dead.id());
    String id =
        ids.stream()
            .skip(1)
            .filter(before -> dispatch.find(before).isPresent())
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
