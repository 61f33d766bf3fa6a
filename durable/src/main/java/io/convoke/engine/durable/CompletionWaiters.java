package io.convoke.engine.durable;

import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The callers of a process that wait for ends of instances. An end on this node reaches all callers
 * of its instance in memory. Ends on other nodes are found by one query for all callers together:
 * at once for a new caller, then after pauses that grow from 20 ms to a second.
 */
final class CompletionWaiters implements AutoCloseable {
  private static final long QUERY_MIN_NS = Duration.ofMillis(20).toNanos();
  private static final long QUERY_MAX_NS = Duration.ofSeconds(1).toNanos();

  private final Provider provider;
  private final Waiter changed = new Waiter();

  /** By instance, guarded by itself, as is {@link #querying}. */
  private final Map<String, AwaitedEnd> awaited = new HashMap<>();

  private boolean querying;

  /** The end of an instance, with the callers that wait for it and the time of its next query. */
  private static final class AwaitedEnd {
    private final CompletableFuture<ExecutionOutcome> outcome = new CompletableFuture<>();
    private int callers;
    private long query = System.nanoTime();
    private long pause = QUERY_MIN_NS;

    private void queried(long now) {
      query = now + pause;
      pause = Math.min(2 * pause, QUERY_MAX_NS);
    }
  }

  CompletionWaiters(Provider provider) {
    this.provider = provider;
  }

  /** Waits for the end of an instance, and returns its outcome. */
  ExecutionOutcome await(String instanceId, Duration atMost)
      throws InterruptedException, TimeoutException {
    AwaitedEnd end = enter(instanceId);
    try {
      return end.outcome.get(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException(instanceId + " has not ended within " + atMost);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } finally {
      leave(instanceId, end);
    }
  }

  /** An instance has ended on this node. */
  void ended(String instanceId, ExecutionOutcome outcome) {
    AwaitedEnd end;
    synchronized (awaited) {
      end = awaited.remove(instanceId);
    }
    if (end != null) {
      boolean _ = end.outcome.complete(outcome);
    }
  }

  @Override
  public void close() {
    changed.close();
  }

  private AwaitedEnd enter(String instanceId) {
    synchronized (awaited) {
      AwaitedEnd end = awaited.computeIfAbsent(instanceId, _ -> new AwaitedEnd());
      end.callers++;
      // The instance may have ended between the last query and this call.
      end.query = System.nanoTime();
      if (!querying) {
        querying = true;
        Thread _ = Thread.ofVirtual().name("durable-await").start(this::queryWhileAwaited);
      }
      changed.wake();
      return end;
    }
  }

  private void leave(String instanceId, AwaitedEnd end) {
    synchronized (awaited) {
      end.callers--;
      if (end.callers == 0) {
        boolean _ = awaited.remove(instanceId, end);
      }
    }
  }

  private void queryWhileAwaited() {
    try {
      while (isAwaited()) {
        Set<String> due = due();
        if (due.isEmpty()) {
          boolean open = changed.await(Duration.ofNanos(untilNext()));
          if (!open) {
            return;
          }
        } else {
          query(due);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a caller waits; if not, the querying thread ends. */
  private boolean isAwaited() {
    synchronized (awaited) {
      querying = !awaited.isEmpty();
      return querying;
    }
  }

  /** What is to be queried now, and with it what is to be queried within the shortest pause. */
  private Set<String> due() {
    Set<String> due = new HashSet<>();
    synchronized (awaited) {
      long now = System.nanoTime();
      if (awaited.values().stream().anyMatch(end -> end.query - now <= 0)) {
        awaited.forEach(
            (instanceId, end) -> {
              if (end.query - now <= QUERY_MIN_NS) {
                end.queried(now);
                boolean _ = due.add(instanceId);
              }
            });
      }
    }
    return due;
  }

  private long untilNext() {
    synchronized (awaited) {
      long now = System.nanoTime();
      return awaited.values().stream().mapToLong(end -> end.query - now).min().orElse(0);
    }
  }

  private void query(Set<String> due) {
    try {
      provider.admin().ended(due).forEach(this::ended);
    } catch (RuntimeException | Error e) {
      synchronized (awaited) {
        due.stream()
            .map(awaited::get)
            .forEach(
                end -> {
                  if (end != null) {
                    boolean _ = end.outcome.completeExceptionally(e);
                  }
                });
        boolean _ = awaited.keySet().removeAll(due);
      }
    }
  }
}
