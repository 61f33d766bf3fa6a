package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScoredValueScanCursor;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores in Redis what it lost. A key space without a generation is empty; one on another server,
 * or on the same one after a restart, may lack its last writes. All open tasks of the database that
 * Redis lacks are added, and open tasks of Redis that have ended there are ended. Other tasks that
 * Redis has stay as they are, except that attempt numbers are advanced so that none is assigned
 * twice; their state is reported to the database again.
 */
final class RedisRebuilder {
  private static final Logger log = LoggerFactory.getLogger(RedisRebuilder.class);

  /**
   * Time of the lock, longer than a page takes; each page extends it. While a dead server holds it,
   * pods get no tasks.
   */
  private static final Duration LOCK = Duration.ofSeconds(3);

  private static final int PAGE = 500;

  private final Redis redis;
  private final TaskScripts taskScripts;
  private final KeySpace keySpace;
  private final DurableTaskStore durableTaskStore;
  private final TestSignal<Integer> rebuilt;
  private final long began = System.nanoTime();

  /** Whether this process has seen the key space complete. */
  private volatile boolean sawComplete;

  /** {@code rebuilt} receives the number of tasks that each rebuild compared. */
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

  /**
   * Rebuilds the key space if it is incomplete and no other server does. Returns true if this call
   * rebuilt it.
   */
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
    // Before anything is read: a relay of the earlier generation finishes or is refused.
    durableTaskStore.begin(next);
    extendLock();
    // Also if the generation is missing: the lost writes may have begun just before it was written.
    settle();
    int count = restoreAll(token, generation == null);
    // Marked last, so that a crash before is harmless, and only if the key space was not emptied
    // since: the lock would be gone.
    if (taskScripts.markRestored(token, next.id(), run).on(redis) == 0) {
      return false;
    }
    sawComplete = true;
    log.info("Compared Redis with the database: {} open tasks", count);
    rebuilt.emit(count);
    return true;
  }

  /**
   * Ends what is open in Redis and has ended in the database: its end was lost with Redis' last
   * writes, and it must not run again. Redis may come back at any time after that, so it is asked
   * for its open tasks, and not the database for recent ends. The sets are read in the order in
   * which tasks go from one to the next, so that none is missed that moves meanwhile.
   */
  private void settle() {
    if (!durableTaskStore.isDurable()) {
      return;
    }
    settleSet(keySpace.own("delayed"));
    String lanes = keySpace.own("lanes");
    List<String> regions =
        redis.call(lanes, commands -> commands.smembers(lanes)).stream()
            .map(KeySpace::regionOf)
            .distinct()
            .toList();
    regions.forEach(region -> settleSet(keySpace.queue(region)));
    regions.forEach(region -> settleSet(keySpace.queue(KeySpace.GLOBAL + ":" + region)));
    settleEnded(held());
  }

  private void settleSet(String set) {
    ScanCursor cursor = ScanCursor.INITIAL;
    while (!cursor.isFinished()) {
      ScanCursor from = cursor;
      ScoredValueScanCursor<String> page =
          redis.call(set, commands -> commands.zscan(set, from, ScanArgs.Builder.limit(PAGE)));
      settleEnded(page.getValues().stream().map(ScoredValue::getValue).toList());
      cursor = page;
    }
  }

  private void settleEnded(List<String> open) {
    for (int from = 0; from < open.size(); from += PAGE) {
      List<EndedTask> ended =
          durableTaskStore.ended(open.subList(from, Math.min(open.size(), from + PAGE)));
      if (!ended.isEmpty()) {
        int _ = taskScripts.settle(ended).on(redis);
      }
      extendLock();
    }
  }

  /** The ids of the tasks that pods hold according to Redis. */
  private List<String> held() {
    String pods = keySpace.own("pods");
    List<String> names = redis.call(pods, commands -> commands.zrange(pods, 0, -1));
    return redis.call(
        pods,
        commands -> {
          List<CompletableFuture<List<String>>> all =
              names.stream()
                  .map(pod -> commands.zrange(keySpace.leases(pod), 0, -1).toCompletableFuture())
                  .toList();
          return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
              .thenApply(_ -> all.stream().flatMap(each -> each.join().stream()).toList());
        });
  }

  /** Tasks accepted before this process started may have been in a Redis that is empty now. */
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
