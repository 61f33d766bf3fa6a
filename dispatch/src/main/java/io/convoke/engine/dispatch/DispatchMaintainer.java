package io.convoke.engine.dispatch;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains dispatch on a server with the role dispatch: expires tasks, reclaims tasks of dead
 * pods, moves tasks to overflow queues, renews lost wake-up tokens, relays the outbox to the
 * database and restores what Redis lost. While no task is open it blocks on a token list. On a
 * cluster it maintains each key space.
 */
public final class DispatchMaintainer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DispatchMaintainer.class);
  private static final int PAGE = 500;
  private static final Duration LONG = Duration.ofHours(1);

  private final TaskQueue taskQueue;
  private final DurableTaskStore durableTaskStore;
  private final DispatchConfig config;
  private final SweepListener sweepListener;
  private final TestSignal<Integer> ticked = new TestSignal<>();
  private final TestSignal<Integer> rebuilt = new TestSignal<>();
  private final TestSignal<List<TaskTransition>> relayed = new TestSignal<>();

  /** When the database was last scanned for undelivered tasks; initially long ago. */
  private final AtomicLong lastAudit = new AtomicLong(System.nanoTime() - Long.MAX_VALUE / 2);

  private final Waiter auditWanted = new Waiter();

  /** A thread of its own: the key spaces are maintained while the database hangs. */
  private final BackgroundLoop auditLoop;

  /** Guards itself and {@code closed}; key spaces are added while the server runs. */
  private final Map<TaskScripts, KeySpaceMaintainer> maintainers = new ConcurrentHashMap<>();

  private boolean closed;

  /** Receives the result of each sweep that found tasks; it must not block. */
  @FunctionalInterface
  public interface SweepListener {
    /** Called with the number of tasks of a region, or of {@link KeySpace#GLOBAL}. */
    void swept(SweepKind sweepKind, String region, int count);
  }

  /** The kinds of sweeps. */
  public enum SweepKind {
    EXPIRE,
    RECLAIM,
    OVERFLOW
  }

  public DispatchMaintainer(
      TaskQueue taskQueue, DurableTaskStore durableTaskStore, DispatchConfig config) {
    this(taskQueue, durableTaskStore, config, (_, _, _) -> {});
  }

  public DispatchMaintainer(
      TaskQueue taskQueue,
      DurableTaskStore durableTaskStore,
      DispatchConfig config,
      SweepListener sweepListener) {
    this.taskQueue = taskQueue;
    this.durableTaskStore = durableTaskStore;
    this.config = config;
    this.sweepListener = sweepListener;
    this.auditLoop = BackgroundLoop.start("dispatch-audit", this::audit);
    maintain(List.of(taskQueue.keySpaces().global()));
  }

  /** Emits the number of open tasks at each tick. */
  public TestSignal<Integer> ticked() {
    return ticked;
  }

  /** Emits the number of open tasks that each rebuild compared. */
  public TestSignal<Integer> rebuilt() {
    return rebuilt;
  }

  /**
   * Time since the last tick that Redis answered, of the key space with the oldest one. An idle
   * maintainer ticks twice a minute.
   */
  public Duration sinceLastTick() {
    return maintainers.values().stream()
        .map(KeySpaceMaintainer::sinceLastTick)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Emits each batch of transitions that the database has stored. */
  public TestSignal<List<TaskTransition>> relayed() {
    return relayed;
  }

  @Override
  public void close() {
    synchronized (maintainers) {
      closed = true;
    }
    maintainers.values().forEach(KeySpaceMaintainer::close);
    auditWanted.close();
    auditLoop.close();
  }

  /** Maintains these key spaces as well. */
  void maintain(List<TaskScripts> more) {
    synchronized (maintainers) {
      for (TaskScripts place : more) {
        if (!closed && !maintainers.containsKey(place)) {
          maintainers.put(
              place, new KeySpaceMaintainer(this, taskQueue, place, durableTaskStore, config));
        }
      }
    }
  }

  /**
   * Begins to deliver tasks that Redis was never told of, in any key space; at most once in a span
   * for all key spaces.
   */
  void deliverPending(Duration span) {
    long last = lastAudit.get();
    long now = System.nanoTime();
    if (now - last >= span.toNanos() && lastAudit.compareAndSet(last, now)) {
      auditWanted.wake();
    }
  }

  private void audit() throws InterruptedException {
    if (!auditWanted.await(LONG)) {
      return;
    }
    try {
      boolean _ = taskQueue.restore(() -> durableTaskStore.undelivered(PAGE));
    } catch (StoreUnavailable e) {
      log.debug("Postgres unreachable; scan for undelivered tasks skipped");
    } catch (RedisUnavailable e) {
      log.debug("Key space unreachable; its undelivered tasks wait");
    }
  }

  void swept(SweepKind sweepKind, String region, int count) {
    sweepListener.swept(sweepKind, region, count);
  }
}
