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
 * Returns tasks whose claim reply a pod did not receive: Redis executes a claim whether or not its
 * reply arrives, and the tasks would wait until their leases end because the pod is alive. Before
 * its next claim the pod returns every task that it holds in Redis and does not run; where this
 * fails it tries again before a later claim.
 */
final class LostClaimRecovery {
  private static final Logger log = LoggerFactory.getLogger(LostClaimRecovery.class);
  private static final String REASON = "the claim reply to its pod was lost";

  private final Redis redis;
  private final PodId pod;
  private final SlotPool slotPool;
  private final Set<TaskScripts> keySpaces = ConcurrentHashMap.newKeySet();

  LostClaimRecovery(Redis redis, PodId pod, SlotPool slotPool) {
    this.redis = redis;
    this.pod = pod;
    this.slotPool = slotPool;
  }

  /** Records that a claim in this key space got no reply. */
  void replyLost(TaskScripts at) {
    boolean _ = keySpaces.add(at);
  }

  /**
   * Completes after the attempt to return tasks; call it only between two claims of this pod. Never
   * fails.
   */
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
    log.debug(
        "Pod {} cannot return tasks of a lost claim reply yet: {}", pod.id(), error.getMessage());
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

  /** Returning a task that has ended meanwhile has no effect. */
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
      log.warn("Claim reply lost: pod {}, task {}; returning the task", pod.id(), task.id());
      TaskLeaseRef taskLeaseRef = new TaskLeaseRef(task.id(), task.fence());
      all =
          all.thenCompose(before -> at.handBack(pod.id(), taskLeaseRef, REASON).begin(redis))
              .thenApply(LostClaimRecovery::requireDecided);
    }
    return all;
  }

  private static boolean requireDecided(TransitionResult transitionResult) {
    if (transitionResult == TransitionResult.UNSURE) {
      throw new IllegalStateException("Redis is not compared with the database yet");
    }
    return true;
  }
}
