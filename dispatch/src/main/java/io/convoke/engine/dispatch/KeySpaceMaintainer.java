package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.DispatchMaintainer.SweepKind;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains one key space for a {@link DispatchMaintainer}. Blocks on a token list while no task is
 * open there.
 */
final class KeySpaceMaintainer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KeySpaceMaintainer.class);
  private static final int PAGE = 500;
  private static final int TICKS_PER_AUDIT = 10;

  /** Redis' clock has a resolution of 1 ms; the wait must not end before a task is due. */
  private static final Duration ROUNDING = Duration.ofMillis(1);

  /**
   * While no task is open, the database is scanned every 20 checks (ten minutes), to keep an idle
   * server cheap. The scan finds tasks accepted by a server that died before it told Redis; while
   * any task is open, it runs every few seconds.
   */
  private static final int CHECKS_PER_AUDIT = 20;

  private final DispatchMaintainer owner;
  private final Redis redis;
  private final KeySpaceDirectory keySpaceDirectory;
  private final TaskScripts taskScripts;
  private final DispatchConfig config;
  private final RedisRebuilder redisRebuilder;
  private final OutboxRelay outboxRelay;
  private final Waiter waiter = new Waiter();
  private final WakeupListener wakeupListener;
  private volatile long lastTick = System.nanoTime();
  private volatile boolean reconnected = true;
  private int checks;

  KeySpaceMaintainer(
      DispatchMaintainer owner,
      TaskQueue taskQueue,
      TaskScripts taskScripts,
      DurableTaskStore durableTaskStore,
      DispatchConfig config) {
    this.owner = owner;
    this.redis = taskQueue.redis();
    this.keySpaceDirectory = taskQueue.keySpaces();
    this.taskScripts = taskScripts;
    this.config = config;
    this.redisRebuilder = new RedisRebuilder(redis, taskScripts, durableTaskStore, owner.rebuilt());
    this.outboxRelay = new OutboxRelay(redis, taskScripts, durableTaskStore, owner.relayed());
    redis.onConnect(() -> reconnected = true);
    this.wakeupListener =
        new WakeupListener(
            redis,
            taskScripts.keySpace(),
            "dispatch-maintainer",
            config.idle(),
            () -> new String[] {taskScripts.keySpace().maintenanceList()},
            (list, token) -> CompletableFuture.completedStage(token),
            (list, token) -> {
              discoverKeySpaces();
              runTicks();
            },
            this::check);
  }

  Duration sinceLastTick() {
    return Duration.ofNanos(System.nanoTime() - lastTick);
  }

  @Override
  public void close() {
    waiter.close();
    wakeupListener.close();
    outboxRelay.close();
  }

  /** Checks after a connect and after each idle wait whether anything was missed. */
  private void check() {
    discoverKeySpaces();
    rebuildIfNeeded();
    checks++;
    if (reconnected || checks % CHECKS_PER_AUDIT == 0) {
      reconnected = false;
      owner.deliverPending(Duration.ZERO);
    }
    runTicks();
  }

  /** The directory, and the token that announces a new region, are in the global key space. */
  private void discoverKeySpaces() {
    if (keySpaceDirectory.many() && isGlobal()) {
      owner.maintain(keySpaceDirectory.refresh());
    }
  }

  private boolean isGlobal() {
    return taskScripts.equals(keySpaceDirectory.global());
  }

  private void rebuildIfNeeded() {
    try {
      if (redisRebuilder.rebuildIfNeeded()) {
        outboxRelay.wake();
      }
    } catch (StoreUnavailable e) {
      log.info("Postgres unreachable; Redis restore postponed");
    }
  }

  /** Ticks while tasks are open. */
  private void runTicks() {
    TickResult tickResult;
    int ticks = 0;
    do {
      tickResult = tick();
      ticks++;
      if (ticks % TICKS_PER_AUDIT == 0) {
        owner.deliverPending(config.tick().multipliedBy(TICKS_PER_AUDIT / 2));
      }
    } while (tickResult.live() != 0 && await(untilNext(tickResult)));
  }

  /** Time until the next tick, or until the next retry backoff ends if that is earlier. */
  private Duration untilNext(TickResult tickResult) {
    return tickResult
        .nextDue()
        .filter(due -> due.compareTo(config.tick()) < 0)
        .map(due -> due.plus(ROUNDING))
        .orElse(config.tick());
  }

  private TickResult tick() {
    TickResult tickResult = taskScripts.tick().on(redis);
    lastTick = System.nanoTime();
    if (tickResult.live() == -2) {
      rebuildIfNeeded();
    } else if (tickResult.live() > 0) {
      // In this order: a task past its deadline expires before it can overflow.
      SweepResult _ = repeat(SweepKind.EXPIRE, taskScripts::expire);
      SweepResult _ = repeat(SweepKind.RECLAIM, taskScripts::reclaim);
      SweepResult left = repeat(SweepKind.OVERFLOW, taskScripts::overflow);
      hintGlobalKeySpace(tickResult, left);
    }
    owner.ticked().emit(tickResult.live());
    return tickResult;
  }

  /** Updates the rotation of the global key space with the lanes here that have tasks. */
  private void hintGlobalKeySpace(TickResult tickResult, SweepResult left) {
    if (!keySpaceDirectory.many() || isGlobal()) {
      return;
    }
    Map<String, Boolean> lanes =
        Stream.concat(
                tickResult.lanes().stream(),
                left.byRegion().keySet().stream().map(region -> KeySpace.GLOBAL + ":" + region))
            .distinct()
            .collect(Collectors.toMap(lane -> lane, lane -> true));
    if (!lanes.isEmpty()) {
      try {
        int _ = keySpaceDirectory.global().wakeup(true, tickResult.types(), lanes).on(redis);
      } catch (RedisUnavailable e) {
        log.debug("Global key space unreachable; wake-up retried at the next tick");
      }
    }
  }

  private SweepResult repeat(SweepKind sweepKind, IntFunction<ScriptCall<SweepResult>> call) {
    SweepResult sweepResult;
    SweepResult found = new SweepResult(0, Map.of());
    do {
      sweepResult = call.apply(PAGE).on(redis);
      sweepResult.byRegion().forEach((region, count) -> owner.swept(sweepKind, region, count));
      found = sweepResult.count() > 0 ? sweepResult : found;
    } while (sweepResult.count() >= PAGE);
    return found;
  }

  private boolean await(Duration interval) {
    try {
      return waiter.await(interval);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
