package io.convoke.engine.dispatch;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The front of dispatch: takes tasks in, stops them, tells how they stand. With a ledger, what was
 * taken in reaches an end whatever happens to Redis, and neither taking in nor stopping fails
 * because Redis is away.
 */
public final class DispatchService implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DispatchService.class);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final int PENDING_MAX = 10_000;
  private static final int PAGE = 500;

  /** For so long an accepted task may be on its way to Redis. */
  private static final Duration IN_FLIGHT_MAX = Duration.ofSeconds(60);

  private final TaskQueue taskQueue;
  private final DurableTaskStore durableTaskStore;
  private final Waiter waiter = new Waiter();

  /** Tasks that Redis has something to hear about; a server that dies leaves them to a tender. */
  private final Set<String> pendingInserts = ConcurrentHashMap.newKeySet();

  /** Whether another server has asked for help. */
  private final AtomicBoolean deliverForOthers = new AtomicBoolean();

  private final BackgroundLoop deliveryLoop;

  public DispatchService(TaskQueue taskQueue, DurableTaskStore durableTaskStore) {
    this.taskQueue = taskQueue;
    this.durableTaskStore = durableTaskStore;
    this.deliveryLoop = BackgroundLoop.start("dispatch-owed", this::deliver);
    taskQueue.redis().onConnect(waiter::wake);
  }

  /**
   * Takes a task in; the same request again gets the same task.
   *
   * @throws RedisUnavailable without a ledger, when Redis is away
   * @throws StoreUnavailable with one, when it is out of reach; nothing was accepted then
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
              .orElseThrow(() -> new StoreUnavailable("the task of this request is just written"));
      case DurableTaskStore.TaskInsertResult.InsertIdTaken _ -> new EnqueueResult.IdTaken();
      case DurableTaskStore.TaskInsertResult.InsertChannelBusy(String holder) ->
          new EnqueueResult.ChannelBusy(holder);
    };
  }

  /**
   * Wants a task to stop, for good.
   *
   * @throws RedisUnavailable without a ledger, when Redis is away
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

  /** The task as Redis has it, else as the ledger last heard of it. */
  public Optional<Task> find(String id) {
    try {
      Optional<Task> task = taskQueue.find(id);
      if (task.isPresent()) {
        return task;
      }
    } catch (RedisUnavailable e) {
      if (!durableTaskStore.isDurable()) {
        throw e;
      }
    }
    return durableTaskStore.find(id);
  }

  /**
   * How the regions stand that have a task or a live pod.
   *
   * @throws RedisUnavailable when Redis is away
   */
  public DispatchStats stats() {
    return taskQueue.stats();
  }

  /**
   * Has a pod take no task, or tasks again; what it runs comes to its end. The pod itself remembers
   * it if Redis does not; a pod that starts again is another one.
   *
   * @return the pod as it stands then; empty when no such pod lives
   * @throws RedisUnavailable when Redis is away
   */
  public Optional<PodInfo> drain(String pod, boolean drain) {
    if (taskQueue.drain(pod, drain) == TransitionResult.UNKNOWN) {
      return Optional.empty();
    }
    return stats().pods().stream().filter(each -> each.name().equals(pod)).findFirst();
  }

  /** Another server does not reach Redis: tells it what that one left in the ledger. */
  public void deliverPending() {
    deliverForOthers.set(true);
    waiter.wake();
  }

  /** Tasks that this server accepted or stopped and could not tell Redis of yet. */
  public int pendingInserts() {
    return pendingInserts.size();
  }

  @Override
  public void close() {
    waiter.close();
    deliveryLoop.close();
  }

  /** Asked before the ledger: a server that hangs in between must not bring what has ended. */
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
      log.debug("task {} is accepted and waits for Redis", task.id());
    }
    retryLater(task.id());
    return new EnqueueResult.Created(durableTaskStore.find(task.id()).orElseThrow());
  }

  private EnqueueResult resolve(NewTask task, EnqueueResult answer) {
    return switch (answer) {
      case EnqueueResult.Created created -> created;
      // A tender was faster.
      case EnqueueResult.AlreadyEnqueued(Task known) when known.id().equals(task.id()) ->
          new EnqueueResult.Created(known);
      // Redis remembers more than the ledger: what is refused must not be found there and run.
      case EnqueueResult.AlreadyEnqueued _,
          EnqueueResult.IdTaken _,
          EnqueueResult.ChannelBusy _,
          EnqueueResult.QueueFull _ -> {
        durableTaskStore.reject(task.id());
        yield answer;
      }
    };
  }

  /** A tender would find it too, but later. */
  private void retryLater(String id) {
    if (pendingInserts.size() < PENDING_MAX) {
      boolean _ = pendingInserts.add(id);
      waiter.wake();
    }
  }

  /** Tells Redis by way of the ledger, which knows by now what else is wanted of these tasks. */
  private void deliver() throws InterruptedException {
    List<String> ids = pendingInserts.stream().limit(PAGE).toList();
    boolean forOthers = deliverForOthers.getAndSet(false);
    if (ids.isEmpty() && !forOthers) {
      boolean _ = waiter.await(Duration.ofMinutes(1));
      return;
    }
    // First, so that what is wanted from now on is owed anew.
    ids.forEach(pendingInserts::remove);
    try {
      if (taskQueue.restore(() -> undelivered(ids, forOthers))) {
        return;
      }
      log.debug("{} tasks wait until Redis is compared with the ledger", ids.size());
    } catch (RedisUnavailable | StoreUnavailable e) {
      log.debug("{} tasks wait for Redis or Postgres to come back", ids.size());
    }
    pendingInserts.addAll(ids);
    boolean _ = waiter.await(AGAIN);
  }

  private List<OpenTask> undelivered(List<String> own, boolean others) {
    List<OpenTask> all = new ArrayList<>(own.isEmpty() ? List.of() : durableTaskStore.open(own));
    if (others) {
      all.addAll(durableTaskStore.undelivered(PAGE));
    }
    return all;
  }
}
