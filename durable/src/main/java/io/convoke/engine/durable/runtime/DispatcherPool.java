package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.WorkflowTracing;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.StartMessage;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.durable.runtime.WorkflowRegistry.WorkerPool;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The dispatchers of a process, and the messages that API calls send. */
public final class DispatcherPool implements AutoCloseable {
  /** A fetch that times out costs no statement; {@link #close} does not wait for it. */
  private static final Duration POLL = Duration.ofSeconds(1);

  private static final int ATTEMPTS_MAX = 10;
  private static final String NO_REASON = "no reason given";

  private final Provider provider;
  private final ExecutionCache executionCache;
  private final ActivityExecutor activityExecutor;
  private final List<DispatchLoop<?>> dispatchLoops = new ArrayList<>();
  private Optional<EndedPruner> endedPruner = Optional.empty();

  /**
   * The concurrency of a process.
   *
   * @param orchestrators concurrent turns
   * @param workers concurrent activities of the default pool
   * @param warm parked executions that are kept in memory
   * @param turnLock the lock timeout of a turn
   * @param workLock the lock timeout of an activity between renewals
   */
  public record DispatcherCounts(
      int orchestrators, int workers, int warm, Duration turnLock, Duration workLock) {
    /**
     * Idle dispatchers cost a virtual thread each. Many make large batches: with 256 a short
     * workflow costs the database three quarters of what it costs with 64.
     */
    public static final DispatcherCounts STANDARD =
        new DispatcherCounts(256, 256, 10_000, Duration.ofSeconds(30), Duration.ofSeconds(30));
  }

  /** Receives each instance that ends on this node. */
  public interface WorkflowEndListener {
    /**
     * An end is committed; by now the instance may have been retried.
     *
     * @param begunAt when the commit was begun, on the monotonic clock
     */
    void ended(String instanceId, ExecutionOutcome outcome, long begunAt);
  }

  /**
   * Starts at once.
   *
   * @param attemptTimeout of an attempt that has neither a timeout nor a heartbeat
   */
  public DispatcherPool(
      Provider provider,
      LongPollConfig config,
      WorkflowRegistry workflowRegistry,
      JobRegistry jobRegistry,
      WorkflowTracing workflowTracing,
      DispatcherCounts dispatcherCounts,
      Duration attemptTimeout,
      WorkflowEndListener endListener) {
    this.provider = provider;
    this.executionCache = new ExecutionCache(dispatcherCounts.warm());
    this.activityExecutor =
        new ActivityExecutor(
            provider,
            workflowRegistry,
            workflowTracing,
            dispatcherCounts.workLock(),
            attemptTimeout);
    WorkflowExecutor workflowExecutor =
        new WorkflowExecutor(
            provider,
            workflowRegistry,
            workflowTracing,
            executionCache,
            dispatcherCounts.turnLock(),
            ATTEMPTS_MAX,
            endListener);
    Optional<Duration> idle = config.enabled() ? Optional.empty() : Optional.of(config.idleSleep());
    dispatchLoops.add(
        new DispatchLoop<OrchestrationItem>(
            "durable-orchestrator",
            Thread.ofVirtual(),
            dispatcherCounts.orchestrators(),
            idle,
            () -> provider.fetchOrchestrationItem(dispatcherCounts.turnLock(), POLL),
            workflowExecutor::turn));
    Duration workLock = dispatcherCounts.workLock();
    WorkerPool ordinary = new WorkerPool(dispatcherCounts.workers(), false);
    dispatchLoops.add(work(WorkMessage.DEFAULT_POOL, ordinary, idle, workLock));
    workflowRegistry
        .pools(ordinary.count())
        .forEach((pool, workers) -> dispatchLoops.add(work(pool, workers, idle, workLock)));
    for (JobRegistry.RegisteredJob job : jobRegistry.all()) {
      dispatchLoops.add(jobs(job, dispatcherCounts, idle));
    }
  }

  /** The workers of a job. */
  private DispatchLoop<WorkItem> jobs(
      JobRegistry.RegisteredJob job, DispatcherCounts dispatcherCounts, Optional<Duration> idle) {
    String pool = NewJob.pool(job.name());
    WorkKind workKind = new WorkKind.JobKind(provider, job);
    return new DispatchLoop<>(
        "durable-" + pool,
        threads(job.options().platformThreads()),
        job.options().workers().orElse(dispatcherCounts.workers()),
        idle,
        () -> provider.fetchWorkItem(pool, dispatcherCounts.workLock(), POLL),
        (item, place) -> activityExecutor.run(item, workKind, place));
  }

  private static Thread.Builder threads(boolean platformThreads) {
    return platformThreads ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
  }

  /** Deletes from now on what ended longer ago. */
  public void pruneEnded(Duration retention) {
    endedPruner = Optional.of(new EndedPruner(provider.admin(), retention));
  }

  /** The workers of a pool, which fetch items of this pool alone. */
  private DispatchLoop<WorkItem> work(
      String pool, WorkerPool workers, Optional<Duration> idle, Duration lock) {
    return new DispatchLoop<>(
        pool.isEmpty() ? "durable-worker" : "durable-worker-" + pool,
        threads(workers.platformThreads()),
        workers.count(),
        idle,
        () -> provider.fetchWorkItem(pool, lock, POLL),
        activityExecutor::run);
  }

  /**
   * Starts an instance and returns when that is durable; does nothing if the instance exists.
   *
   * @param trace the trace context of the caller
   */
  public static void start(
      Provider provider,
      String name,
      String instanceId,
      @Nullable Object input,
      Optional<String> trace) {
    send(provider, instanceId, started(name, input, provider.now(), trace));
  }

  public static void raise(
      Provider provider, String instanceId, String event, @Nullable Object data) {
    String _ = Objects.requireNonNull(event, "an event has a name");
    JsonNode tree = WorkflowRegistry.tree(data);
    send(provider, instanceId, new HistoryEntry.EventRaised(event, tree, provider.now()));
  }

  public static void cancel(Provider provider, String instanceId, @Nullable String given) {
    String reason = Objects.requireNonNullElse(given, NO_REASON);
    Instant now = provider.now();
    send(provider, instanceId, new HistoryEntry.CancelRequested(reason, now));
  }

  /**
   * Begins another execution of a failed instance with the same input; the failed execution is
   * kept.
   *
   * @return false if the instance has not failed or does not exist
   */
  public static boolean retry(Provider provider, String instanceId) {
    ProviderAdmin admin = provider.admin();
    return restart(
        admin,
        instanceId,
        failed ->
            admin.history(instanceId, failed.executionId()).stream()
                .findFirst()
                .map(HistoryEntry::of)
                .filter(HistoryEntry.Started.class::isInstance)
                .map(HistoryEntry.Started.class::cast));
  }

  /**
   * Begins another execution of a failed instance with another input; false if it has not failed.
   */
  public static boolean restart(
      Provider provider, String name, String instanceId, @Nullable Object input) {
    HistoryEntry.Started start = started(name, input, Instant.EPOCH, Optional.empty());
    return restart(provider.admin(), instanceId, failed -> Optional.of(start));
  }

  private static boolean restart(
      ProviderAdmin admin,
      String instanceId,
      Function<ProviderAdmin.InstanceInfo, Optional<HistoryEntry.Started>> startOf) {
    Optional<ProviderAdmin.InstanceInfo> found =
        admin.instance(instanceId).filter(it -> it.status() == ExecutionStatus.FAILED);
    if (found.isEmpty()) {
      return false;
    }
    long next = found.get().executionId() + 1;
    return startOf
        .apply(found.get())
        .map(start -> startMessage(next, start))
        .filter(message -> admin.restart(instanceId, found.get().executionId(), message))
        .isPresent();
  }

  /** The message that starts a workflow, for callers that insert the row themselves. */
  public static StartMessage startMessage(
      String name, @Nullable Object input, Optional<String> trace) {
    return startMessage(MessageEnvelope.CURRENT, started(name, input, Instant.EPOCH, trace));
  }

  /**
   * The time takes the place of a text that is in no input. Also what an earlier release began, and
   * is retried, has ids of its execution's name now.
   */
  private static StartMessage startMessage(long execution, HistoryEntry.Started started) {
    String mark = UUID.randomUUID().toString();
    ObjectNode data = (ObjectNode) Json.tree(started);
    data.put("at", mark);
    data.put("named_ids", true);
    String text = Json.write(new MessageEnvelope(execution, started.type(), data));
    String time = Json.write(mark);
    int place = text.indexOf(time);
    return new StartMessage(text.substring(0, place), text.substring(place + time.length()));
  }

  private static HistoryEntry.Started started(
      String name, @Nullable Object input, Instant at, Optional<String> trace) {
    String _ = Objects.requireNonNull(name, "a workflow has a name");
    return new HistoryEntry.Started(
        name, "1", WorkflowRegistry.tree(input), null, at, Traceparent.of(trace), true);
  }

  private static void send(
      Provider provider, String instanceId, HistoryEntry.IncomingEvent incomingEvent) {
    provider.enqueueForOrchestrator(
        MessageEnvelope.message(instanceId, MessageEnvelope.CURRENT, incomingEvent));
  }

  /** Ends the dispatchers and the parked executions; does not close the provider. */
  @Override
  public void close() {
    dispatchLoops.forEach(DispatchLoop::stop);
    provider.endWaits();
    DispatchLoop.close(dispatchLoops);
    endedPruner.ifPresent(EndedPruner::close);
    activityExecutor.close();
    executionCache.clear();
  }

  /** The store of these dispatchers. */
  public Provider provider() {
    return provider;
  }
}
