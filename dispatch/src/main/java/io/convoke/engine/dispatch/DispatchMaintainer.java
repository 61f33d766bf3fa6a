package io.convoke.engine.dispatch;

import io.convoke.engine.testhook.TestSignal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a server with the role dispatch does: marks what waited too long, takes from the dead what
 * they held, lets regions overflow, gives lost tokens again, carries the outbox into the ledger,
 * and rebuilds what Redis forgot. While nothing lives it waits for a token and costs nothing. On a
 * cluster it does so for each place.
 */
public final class DispatchMaintainer implements AutoCloseable {
  private static final int PAGE = 500;

  private final TaskQueue taskQueue;
  private final DurableTaskStore durableTaskStore;
  private final DispatchConfig config;
  private final SweepListener sweepListener;
  private final TestSignal<Integer> ticked = new TestSignal<>();
  private final TestSignal<Integer> rebuilt = new TestSignal<>();
  private final TestSignal<List<TaskTransition>> relayed = new TestSignal<>();

  /** When the ledger was last asked for what Redis never got; nobody has asked yet. */
  private final AtomicLong lastAudit = new AtomicLong(System.nanoTime() - Long.MAX_VALUE / 2);

  /** Guards itself and what follows; new places come while a server runs. */
  private final Map<TaskScripts, KeySpaceMaintainer> maintainers = new ConcurrentHashMap<>();

  private boolean closed;

  /** What is told of each sweep that found something; it must not block. */
  @FunctionalInterface
  public interface SweepListener {
    /** So many tasks of a region, {@link KeySpace#GLOBAL} for those of none. */
    void swept(SweepKind sweepKind, String region, int count);
  }

  /** What a tender looks for. */
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
    maintain(List.of(taskQueue.keySpaces().global()));
  }

  /** How many tasks live, at each look. */
  public TestSignal<Integer> ticked() {
    return ticked;
  }

  /** How many open tasks each rebuild looked at. */
  public TestSignal<Integer> rebuilt() {
    return rebuilt;
  }

  /**
   * Since when Redis has not answered a look; an idle tender looks twice a minute. Of several
   * places it is the one that was looked at longest ago.
   */
  public Duration sinceLastTick() {
    return maintainers.values().stream()
        .map(KeySpaceMaintainer::sinceLastTick)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Each batch of moves that is in the ledger. */
  public TestSignal<List<TaskTransition>> relayed() {
    return relayed;
  }

  @Override
  public void close() {
    synchronized (maintainers) {
      closed = true;
    }
    maintainers.values().forEach(KeySpaceMaintainer::close);
  }

  /** Tends these places as well from now on. */
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
   * Asks the ledger for what Redis was never told, of any place; once for all places that ask
   * within a span.
   */
  void deliverPending(Duration span) {
    long last = lastAudit.get();
    long now = System.nanoTime();
    if (now - last < span.toNanos() || !lastAudit.compareAndSet(last, now)) {
      return;
    }
    boolean _ = taskQueue.restore(() -> durableTaskStore.undelivered(PAGE));
  }

  void swept(SweepKind sweepKind, String region, int count) {
    sweepListener.swept(sweepKind, region, count);
  }
}
