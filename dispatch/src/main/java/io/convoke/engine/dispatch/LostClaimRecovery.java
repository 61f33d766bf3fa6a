package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what a pod was given by an answer that it did not hear: Redis carries a claim out
 * whether or not its answer arrives. Else such tasks would wait until their leases end, because the
 * pod that has them lives. Whatever it has and does not run before its next claim, it does not know
 * of; what it does not reach then is tried before a later one.
 */
final class LostClaimRecovery {
  private static final Logger log = LoggerFactory.getLogger(LostClaimRecovery.class);
  private static final String REASON = "its pod did not hear of it";

  private final Redis redis;
  private final PodId pod;
  private final SlotPool slotPool;
  private final Set<TaskScripts> keySpaces = ConcurrentHashMap.newKeySet();

  LostClaimRecovery(Redis redis, PodId pod, SlotPool slotPool) {
    this.redis = redis;
    this.pod = pod;
    this.slotPool = slotPool;
  }

  /** A claim in this place was not answered. */
  void replyLost(TaskScripts at) {
    boolean _ = keySpaces.add(at);
  }

  /** Completes when it was tried; only between two claims of this pod. Never fails. */
  CompletionStage<Boolean> returnClaims() {
    CompletionStage<Boolean> all = CompletableFuture.completedStage(true);
    for (TaskScripts at : keySpaces) {
      all = all.thenCompose(before -> returnClaims(at)).handle((given, error) -> done(at, error));
    }
    return all;
  }

  private boolean done(TaskScripts at, @Nullable Throwable error) {
    if (error == null) {
      return keySpaces.remove(at);
    }
    log.debug("pod {} cannot give back what it did not hear of: {}", pod.id(), error.getMessage());
    return false;
  }

  private CompletionStage<Boolean> returnClaims(TaskScripts at) {
    String leases = at.keySpace().leases(pod.id());
    try {
      return redis
          .async(leases)
          .zrange(leases, 0, -1)
          .thenCompose(held -> lostTasks(at, held))
          .thenCompose(tasks -> returnClaims(at, tasks));
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /** What ended meanwhile is told of in vain, which does no harm. */
  private CompletionStage<List<Task>> lostTasks(TaskScripts at, List<String> held) {
    Set<String> ids = new HashSet<>(held);
    slotPool.running().forEach(run -> ids.remove(run.task().id()));
    if (ids.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    return at.find(List.copyOf(ids))
        .begin(redis)
        .thenApply(
            found ->
                found.stream()
                    .flatMap(task -> task.stream())
                    .filter(task -> task.state() == TaskState.PROCESSING)
                    .filter(task -> task.podId().filter(pod.id()::equals).isPresent())
                    .toList());
  }

  private CompletionStage<Boolean> returnClaims(TaskScripts at, List<Task> tasks) {
    CompletionStage<Boolean> all = CompletableFuture.completedStage(true);
    for (Task task : tasks) {
      log.warn("pod {} was given task {} and did not hear of it", pod.id(), task.id());
      TaskLeaseRef taskLeaseRef = new TaskLeaseRef(task.id(), task.fence());
      all =
          all.thenCompose(before -> at.handBack(pod.id(), taskLeaseRef, REASON).begin(redis))
              .thenApply(LostClaimRecovery::requireDecided);
    }
    return all;
  }

  private static boolean requireDecided(TransitionResult transitionResult) {
    if (transitionResult == TransitionResult.UNSURE) {
      throw new IllegalStateException("Redis is not compared with the ledger yet");
    }
    return true;
  }
}
