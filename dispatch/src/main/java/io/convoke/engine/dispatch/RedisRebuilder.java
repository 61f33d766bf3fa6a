package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back to Redis what it forgot. A place without its generation is empty, and one on another
 * server than before may lack what was written last: then all open tasks of the ledger are taken in
 * that are not there, and what ended a moment ago ends. What is there stays as it is but for its
 * attempts, of which none is given out a second time, and the ledger hears how it stands.
 */
final class RedisRebuilder {
  private static final Logger log = LoggerFactory.getLogger(RedisRebuilder.class);

  /**
   * Longer than a page takes, which extends it; while one that died holds it, nothing is given out.
   */
  private static final Duration LOCK = Duration.ofSeconds(3);

  private static final int PAGE = 500;

  /** So much of what was written last a Redis that comes back, or its replica, may lack. */
  private static final Duration LOST_MAX = Duration.ofMinutes(1);

  private static final int ENDED_MAX = 100_000;

  private final Redis redis;
  private final TaskScripts taskScripts;
  private final KeySpace keySpace;
  private final DurableTaskStore durableTaskStore;
  private final TestSignal<Integer> rebuilt;
  private final long began = System.nanoTime();

  /** Whether the place was seen to hold all that the ledger knows. */
  private volatile boolean sawComplete;

  /** {@code rebuilt} hears how many tasks each rebuild looked at. */
  RedisRebuilder(
      Redis redis,
      TaskScripts taskScripts,
      DurableTaskStore durableTaskStore,
      TestSignal<Integer> rebuilt) {
    this.redis = redis;
    this.taskScripts = taskScripts;
    this.keySpace = taskScripts.keySpace();
    this.durableTaskStore = durableTaskStore;
    this.rebuilt = rebuilt;
  }

  /** Rebuilds if the place is not whole; one server does it. True if this one just has. */
  boolean rebuildIfNeeded() {
    String run = redis.runId(keySpace.prefix());
    @Nullable String known =
        redis.call(keySpace.server(), commands -> commands.get(keySpace.server()));
    @Nullable String generation =
        redis.call(keySpace.generation(), commands -> commands.get(keySpace.generation()));
    if (generation != null && run.equals(known)) {
      sawComplete = true;
      return false;
    }
    String token = UUID.randomUUID().toString();
    String got =
        redis.call(lock(), commands -> commands.set(lock(), token, SetArgs.Builder.nx().px(LOCK)));
    if (!"OK".equals(got)) {
      return false;
    }
    RebuildEpoch next = new RebuildEpoch(keySpace.prefix(), token.substring(0, 8));
    // Before anything is read: whoever writes down what Redis held must be through, or be refused.
    durableTaskStore.begin(next);
    extendLock();
    // Also where the generation is missing: what was lost may begin just before it was written.
    settle();
    int count = restoreAll(token, generation == null);
    // Noted only now, so that a server that dies before is no loss, and only if the place was not
    // emptied since: the lock would be gone.
    if (taskScripts.markRestored(token, next.id(), run).on(redis) == 0) {
      return false;
    }
    sawComplete = true;
    log.info("{} open tasks were compared with a Redis that may have forgotten some", count);
    rebuilt.emit(count);
    return true;
  }

  /** What had ended and lost its end with Redis' last writes is not run again. */
  private void settle() {
    List<EndedTask> ended = durableTaskStore.ended(LOST_MAX, ENDED_MAX);
    for (int from = 0; from < ended.size(); from += PAGE) {
      List<EndedTask> page = ended.subList(from, Math.min(ended.size(), from + PAGE));
      int _ = taskScripts.settle(page).on(redis);
      extendLock();
    }
  }

  /** What was accepted before this process began may have been in a Redis that is empty now. */
  private boolean mayBeLost(OpenTask task) {
    return sawComplete || task.age().toNanos() > System.nanoTime() - began;
  }

  private int restoreAll(String token, boolean emptied) {
    int count = 0;
    String last = "";
    while (true) {
      List<OpenTask> page = durableTaskStore.open(last, PAGE);
      if (page.isEmpty()) {
        return count;
      }
      List<OpenTask> own = page.stream().filter(this::belongsHere).toList();
      if (!own.isEmpty()) {
        int _ = taskScripts.restore(token, own, task -> emptied && mayBeLost(task)).on(redis);
      }
      extendLock();
      count += own.size();
      last = page.getLast().id();
    }
  }

  private void extendLock() {
    boolean _ = redis.call(lock(), commands -> commands.pexpire(lock(), LOCK));
  }

  private boolean belongsHere(OpenTask task) {
    return keySpace.isHomeOf(KeySpaceDirectory.regionOf(task.region()));
  }

  private String lock() {
    return keySpace.own("rebuild");
  }
}
