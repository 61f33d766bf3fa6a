package io.convoke.engine.durable;

import io.convoke.engine.durable.provider.EndAnnouncements;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.wake.CappedTime;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The callers of a process that wait for ends of instances. An end on this node reaches in memory
 * all callers of its instance that came before its commit. Ends on other nodes are found by one
 * query for all callers together: at once for a new caller, and when another node announces the
 * end.
 *
 * <p>Queries after pauses that grow from 20 ms to five seconds find what was not announced: an end
 * before other nodes were asked to announce theirs, a lost announcement, an end on a node of an
 * earlier release. While nothing is announced to this node the pauses grow to a second.
 */
final class CompletionWaiters
    implements EndAnnouncements.EndReceiver, DispatcherPool.WorkflowEndListener, AutoCloseable {
  private static final long QUERY_MIN_NS = Duration.ofMillis(20).toNanos();
  private static final long QUERY_MAX_NS = Duration.ofSeconds(5).toNanos();
  private static final long UNANNOUNCED_QUERY_MAX_NS = Duration.ofSeconds(1).toNanos();

  private final Provider provider;
  private final Waiter changed = new Waiter();

  /** By instance, guarded by itself, as are {@link #byKey} and {@link #querying}. */
  private final Map<String, AwaitedEnd> awaited = new HashMap<>();

  /** By the key of its announcement. */
  private final Map<Long, AwaitedEnd> byKey = new HashMap<>();

  private boolean querying;

  /** Whether the engine is closed, so that no end is found any more; guarded like the others. */
  private boolean closed;

  /** A waiting caller; it is told only what was committed or queried after it came. */
  private static final class Caller {
    private final CompletableFuture<ExecutionOutcome> outcome = new CompletableFuture<>();
    private final long since = System.nanoTime();
  }

  /** The end of an instance, with the callers that wait for it and the time of its next query. */
  private static final class AwaitedEnd {
    private final long key;
    private final Set<Caller> callers = new HashSet<>();
    private long query = System.nanoTime();
    private long pause = QUERY_MIN_NS;

    private AwaitedEnd(String instanceId) {
      key = EndAnnouncements.key(instanceId);
    }

    private void queried(long now, long pauseMax) {
      query = now + pause;
      pause = Math.min(2 * pause, pauseMax);
    }
  }

  CompletionWaiters(Provider provider) {
    this.provider = provider;
    provider.ends().receive(this);
  }

  /** Waits for the end of an instance, and returns its outcome. */
  ExecutionOutcome await(String instanceId, Duration atMost)
      throws InterruptedException, TimeoutException {
    Caller caller = enter(instanceId);
    try {
      long nanos = Math.max(0, CappedTime.nanos(atMost));
      return caller.outcome.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException(instanceId + " has not ended within " + atMost);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } finally {
      leave(instanceId, caller);
    }
  }

  /** An instance has ended on this node, in a commit that was begun at a time. */
  @Override
  public void ended(String instanceId, ExecutionOutcome outcome, long begunAt) {
    complete(instanceId, outcome, begunAt);
    provider.ends().ended(instanceId);
  }

  @Override
  public void ended(Set<Long> keys) {
    synchronized (awaited) {
      long now = System.nanoTime();
      for (long key : keys) {
        AwaitedEnd end = byKey.get(key);
        if (end != null) {
          end.query = now;
          changed.wake();
        }
      }
    }
  }

  @Override
  public void missed() {
    synchronized (awaited) {
      long now = System.nanoTime();
      awaited.values().forEach(end -> end.query = now);
      changed.wake();
    }
  }

  private void complete(String instanceId, ExecutionOutcome outcome, long at) {
    for (Caller caller : take(instanceId, at)) {
      boolean _ = caller.outcome.complete(outcome);
    }
  }

  /**
   * Takes the callers that an answer of a time is for. Those that came later are told by a query of
   * their own, because the instance may have been retried in between.
   */
  private List<Caller> take(String instanceId, long at) {
    synchronized (awaited) {
      AwaitedEnd end = awaited.get(instanceId);
      if (end == null) {
        return List.of();
      }
      List<Caller> taken = end.callers.stream().filter(caller -> caller.since - at < 0).toList();
      boolean _ = end.callers.removeAll(Set.copyOf(taken));
      if (end.callers.isEmpty()) {
        forget(instanceId, end);
      } else {
        end.query = System.nanoTime();
        changed.wake();
      }
      return taken;
    }
  }

  private void forget(String instanceId, AwaitedEnd end) {
    boolean _ = awaited.remove(instanceId, end);
    boolean _ = byKey.remove(end.key, end);
  }

  /** Ends all waits: one of an hour would outlive the engine by an hour. */
  @Override
  public void close() {
    List<Caller> left;
    synchronized (awaited) {
      closed = true;
      left = awaited.values().stream().flatMap(end -> end.callers.stream()).toList();
    }
    for (Caller caller : left) {
      boolean _ = caller.outcome.completeExceptionally(engineClosed());
    }
    changed.close();
  }

  private static IllegalStateException engineClosed() {
    return new IllegalStateException("the engine is closed");
  }

  private Caller enter(String instanceId) {
    synchronized (awaited) {
      if (closed) {
        throw engineClosed();
      }
      AwaitedEnd end = awaited.computeIfAbsent(instanceId, AwaitedEnd::new);
      AwaitedEnd _ = byKey.put(end.key, end);
      Caller caller = new Caller();
      boolean _ = end.callers.add(caller);
      // The instance may have ended between the last query and this call.
      end.query = System.nanoTime();
      if (!querying) {
        querying = true;
        Thread _ = Thread.ofVirtual().name("durable-await").start(this::queryWhileAwaited);
      }
      changed.wake();
      return caller;
    }
  }

  private void leave(String instanceId, Caller caller) {
    synchronized (awaited) {
      AwaitedEnd end = awaited.get(instanceId);
      if (end != null && end.callers.remove(caller) && end.callers.isEmpty()) {
        forget(instanceId, end);
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
    long pauseMax = provider.ends().announced() ? QUERY_MAX_NS : UNANNOUNCED_QUERY_MAX_NS;
    synchronized (awaited) {
      long now = System.nanoTime();
      if (awaited.values().stream().anyMatch(end -> end.query - now <= 0)) {
        awaited.forEach(
            (instanceId, end) -> {
              if (end.query - now <= QUERY_MIN_NS) {
                end.queried(now, pauseMax);
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
    long at = System.nanoTime();
    try {
      Map<String, ExecutionOutcome> ended = provider.admin().ended(due);
      ended.forEach((instanceId, outcome) -> complete(instanceId, outcome, at));
      if (ended.size() < due.size()) {
        provider.ends().request();
      }
    } catch (RuntimeException | Error e) {
      if (e instanceof ProviderFailure failure && failure.retryable()) {
        // The next query follows after its pause: the store may be back within the callers' time.
        return;
      }
      for (String instanceId : due) {
        for (Caller caller : take(instanceId, at)) {
          boolean _ = caller.outcome.completeExceptionally(e);
        }
      }
    }
  }
}
