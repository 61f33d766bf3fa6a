package io.convoke.engine.dispatch;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry point of dispatch: submits, stops and finds tasks. With a durable store every accepted
 * task reaches a final state whatever happens to Redis, and submitting and stopping work while
 * Redis is unreachable.
 */
public final class DispatchService implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DispatchService.class);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final int PENDING_MAX = 10_000;
  private static final int PAGE = 500;

  /** Longest time that an accepted task is on its way to Redis. */
  private static final Duration IN_FLIGHT_MAX = Duration.ofSeconds(60);

  private final TaskQueue taskQueue;
  private final DurableTaskStore durableTaskStore;
  private final Waiter waiter = new Waiter();

  /**
   * Ids of tasks or stop requests that Redis lacks; if this server dies, a maintainer delivers
   * them. What could not be delivered goes to the end: on a cluster the others may be deliverable.
   */
  private final Set<String> pendingInserts = Collections.synchronizedSet(new LinkedHashSet<>());

  /** Whether another server asked for delivery. */
  private final AtomicBoolean deliverForOthers = new AtomicBoolean();

  private final BackgroundLoop deliveryLoop;

  public DispatchService(TaskQueue taskQueue, DurableTaskStore durableTaskStore) {
    this.taskQueue = taskQueue;
    this.durableTaskStore = durableTaskStore;
    this.deliveryLoop = BackgroundLoop.start("dispatch-delivery", this::deliver);
    taskQueue.redis().onConnect(waiter::wake);
  }

  /**
   * Submits a task; idempotent by request.
   *
   * @throws RedisUnavailable without a durable store, when Redis is unreachable
   * @throws StoreUnavailable with one, when it is unreachable; then nothing was accepted
   */
  public EnqueueResult submit(NewTask task) {
    if (!durableTaskStore.isDurable()) {
      return taskQueue.enqueue(task);
    }
    Optional<String> generation = generation(task);
    return switch (durableTaskStore.accept(task)) {
      case DurableTaskStore.TaskInsertResult.TaskInserted _ -> enqueue(task, generation);
      case DurableTaskStore.TaskInsertResult.AlreadyInserted(String id) ->
          find(id)
              .<EnqueueResult>map(EnqueueResult.AlreadyEnqueued::new)
              .orElseThrow(
                  () -> new StoreUnavailable("the task of this request is not committed yet"));
      case DurableTaskStore.TaskInsertResult.InsertIdTaken _ -> new EnqueueResult.IdTaken();
      case DurableTaskStore.TaskInsertResult.InsertChannelBusy(String holder) ->
          new EnqueueResult.ChannelBusy(holder);
    };
  }

  /**
   * Stops a task.
   *
   * @throws RedisUnavailable without a durable store, when Redis is unreachable
   */
  public StopResult stop(String id) {
    boolean open = durableTaskStore.requestStop(id);
    try {
      StopResult stopResult = taskQueue.stop(id, open ? IN_FLIGHT_MAX : Duration.ZERO);
      if (stopResult.result() != TransitionResult.UNKNOWN) {
        return stopResult;
      }
    } catch (RedisUnavailable e) {
      if (!durableTaskStore.isDurable()) {
        throw e;
      }
      if (open) {
        retryLater(id);
        durableTaskStore.notifyServers();
      }
    }
    return durableTaskStore
        .find(id)
        .map(
            task ->
                new StopResult(
                    open ? TransitionResult.APPLIED : TransitionResult.REPEATED, Optional.of(task)))
        .orElseGet(() -> new StopResult(TransitionResult.UNKNOWN, Optional.empty()));
  }

  /**
   * The task from Redis, or its last state in the database. A task that ended there did end so: a
   * Redis that lost its last writes may have ended it once more.
   */
  public Optional<Task> find(String id) {
    Optional<Task> queued = Optional.empty();
    try {
      queued = taskQueue.find(id);
    } catch (RedisUnavailable e) {
      if (!durableTaskStore.isDurable()) {
        throw e;
      }
    }
    if (queued.isEmpty()) {
      return durableTaskStore.find(id);
    }
    Optional<Task> otherEnd = queued.filter(it -> it.state().terminal()).flatMap(this::otherEnd);
    return otherEnd.isPresent() ? otherEnd : queued;
  }

  /**
   * How a task ended by the database, if that is not how it ended in Redis, which knows more of an
   * end: the database may have skipped transitions before it.
   */
  private Optional<Task> otherEnd(Task queued) {
    try {
      return durableTaskStore
          .find(queued.id())
          .filter(task -> task.state().terminal())
          .filter(
              task ->
                  task.state() != queued.state()
                      || task.attempt() != queued.attempt()
                      || !task.completedAt().equals(queued.completedAt()));
    } catch (StoreUnavailable | SqlFailure e) {
      return Optional.empty();
    }
  }

  /**
   * Statistics of the regions with tasks or live pods.
   *
   * @throws RedisUnavailable when Redis is unreachable
   */
  public DispatchStats stats() {
    return taskQueue.stats();
  }

  /**
   * Drains a pod or lets it claim again; running tasks go on. The pod itself keeps the setting if
   * Redis loses it; a restarted pod starts without it.
   *
   * @return the pod after the change; empty if the pod is not alive
   * @throws RedisUnavailable when Redis is unreachable
   */
  public Optional<PodInfo> drain(String pod, boolean drain) {
    if (taskQueue.drain(pod, drain) == TransitionResult.UNKNOWN) {
      return Optional.empty();
    }
    return stats().pods().stream().filter(each -> each.name().equals(pod)).findFirst();
  }

  /** Delivers pending tasks of a server that cannot reach Redis. */
  public void deliverPending() {
    deliverForOthers.set(true);
    waiter.wake();
  }

  /** Number of tasks and stop requests that this server has not delivered to Redis yet. */
  public int pendingInserts() {
    return pendingInserts.size();
  }

  @Override
  public void close() {
    waiter.close();
    deliveryLoop.close();
  }

  /**
   * Read before the database accepts the task: a server that hangs in between must not enqueue a
   * task that has ended.
   */
  private Optional<String> generation(NewTask task) {
    try {
      return Optional.of(taskQueue.generation(task));
    } catch (RedisUnavailable e) {
      return Optional.empty();
    }
  }

  private EnqueueResult enqueue(NewTask task, Optional<String> generation) {
    try {
      Optional<EnqueueResult> taken =
          generation.flatMap(known -> taskQueue.enqueueAccepted(task, known));
      if (taken.isPresent()) {
        return resolve(task, taken.get());
      }
    } catch (RedisUnavailable e) {
      log.debug("Task {} accepted; delivery to Redis pending", task.id());
    }
    retryLater(task.id());
    return new EnqueueResult.Created(durableTaskStore.find(task.id()).orElseThrow());
  }

  private EnqueueResult resolve(NewTask task, EnqueueResult answer) {
    return switch (answer) {
      case EnqueueResult.Created created -> created;
      // A maintainer delivered it first.
      case EnqueueResult.AlreadyEnqueued(Task known) when known.id().equals(task.id()) ->
          new EnqueueResult.Created(known);
      // Redis may have tasks that the database lacks; a refused task must not stay in the database
      // and run.
      case EnqueueResult.AlreadyEnqueued _,
          EnqueueResult.IdTaken _,
          EnqueueResult.ChannelBusy _,
          EnqueueResult.QueueFull _ -> {
        durableTaskStore.reject(task.id());
        yield answer;
      }
    };
  }

  /** Delivers in the background; a maintainer would do so too, but later. */
  private void retryLater(String id) {
    if (pendingInserts.size() < PENDING_MAX) {
      boolean _ = pendingInserts.add(id);
      waiter.wake();
    }
  }

  /** Delivers from the database, which also has the latest stop requests. */
  private void deliver() throws InterruptedException {
    List<String> ids = nextPending();
    boolean forOthers = deliverForOthers.getAndSet(false);
    if (ids.isEmpty() && !forOthers) {
      boolean _ = waiter.await(Duration.ofMinutes(1));
      return;
    }
    // Removed first, so that a later request adds the id again.
    ids.forEach(pendingInserts::remove);
    try {
      if (taskQueue.restore(() -> undelivered(ids, forOthers))) {
        return;
      }
      log.debug("Delivery of {} tasks waits for the restore of Redis", ids.size());
    } catch (RedisUnavailable | StoreUnavailable e) {
      log.debug("Delivery of {} tasks failed: Redis or Postgres unreachable; retrying", ids.size());
    }
    pendingInserts.addAll(ids);
    boolean _ = waiter.await(AGAIN);
  }

  private List<String> nextPending() {
    synchronized (pendingInserts) {
      return pendingInserts.stream().limit(PAGE).toList();
    }
  }

  private List<OpenTask> undelivered(List<String> own, boolean others) {
    List<OpenTask> all = new ArrayList<>(own.isEmpty() ? List.of() : durableTaskStore.open(own));
    if (others) {
      all.addAll(durableTaskStore.undelivered(PAGE));
    }
    return all;
  }
}
