package io.convoke.engine.durable;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.durable.runtime.WorkflowRegistry;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A durable workflow engine on plain Postgres. Several processes with the same workflows may work
 * on one schema; when one dies the others go on with what it did.
 *
 * <pre>{@code
 * try (Durable engine =
 *     Durable.on("postgresql://user:pass@localhost/db")
 *         .activity("greet", String.class, (context, name) -> "Hello " + name)
 *         .workflow("hello", String.class, (context, name) -> context.activity("greet", name, String.class))
 *         .start()) {
 *   engine.start("hello", "hello-1", "World");
 *   String greeting = engine.await("hello-1", String.class, Duration.ofSeconds(10));
 * }
 * }</pre>
 */
public final class Durable implements AutoCloseable {
  private static final Duration LOOK_MIN = Duration.ofMillis(20);
  private static final Duration LOOK_MAX = Duration.ofSeconds(1);

  private final Provider provider;
  private final WorkflowTracing workflowTracing;
  private final Optional<DispatcherPool> dispatchers;
  private final Map<String, Waiter> awaited;

  private Durable(
      Provider provider,
      WorkflowTracing workflowTracing,
      Optional<DispatcherPool> dispatchers,
      Map<String, Waiter> awaited) {
    this.provider = provider;
    this.workflowTracing = workflowTracing;
    this.dispatchers = dispatchers;
    this.awaited = awaited;
  }

  /** On a database, in the schema {@code durable}, with long polling. */
  public static Builder on(String url) {
    LongPollConfig config = LongPollConfig.defaults().on();
    return over(PostgresProvider.open(DatabaseUrl.parse(url), "durable", config), config);
  }

  /** Over a provider, which the engine closes in the end. */
  public static Builder over(Provider provider, LongPollConfig config) {
    return new Builder(provider, config);
  }

  /** What an engine runs. */
  public static final class Builder {
    private final Provider provider;
    private final LongPollConfig config;
    private final WorkflowRegistry workflowRegistry = new WorkflowRegistry();
    private DispatcherPool.DispatcherCounts dispatcherCounts =
        DispatcherPool.DispatcherCounts.STANDARD;
    private WorkflowTracing workflowTracing = WorkflowTracing.NONE;

    private Builder(Provider provider, LongPollConfig config) {
      this.provider = provider;
      this.config = config;
    }

    public <I, O> Builder workflow(String name, Class<I> input, Workflow<I, O> workflow) {
      workflowRegistry.workflow(name, input, workflow);
      return this;
    }

    public <I, O> Builder activity(String name, Class<I> input, Activity<I, O> activity) {
      workflowRegistry.activity(name, input, activity);
      return this;
    }

    /**
     * An activity of a pool of its own: what fills that pool is in the way of nothing else. The
     * pool is the one that the ordering node knows; it has as many workers as the ordinary one
     * unless {@link #pool} says how many.
     */
    public <I, O> Builder activity(
        String name, String pool, Class<I> input, Activity<I, O> activity) {
      workflowRegistry.activity(name, pool, input, activity);
      return this;
    }

    /**
     * Defines a pool.
     *
     * @param workers so many of its activities run on this node at a time; on a node with 0 none do
     */
    public Builder pool(String name, int workers) {
      workflowRegistry.pool(name, workers);
      return this;
    }

    public Builder size(DispatcherPool.DispatcherCounts other) {
      dispatcherCounts = other;
      return this;
    }

    /** Who records turns and activities, and knows where a caller stands in a trace. */
    public Builder traces(WorkflowTracing other) {
      workflowTracing = other;
      return this;
    }

    public Durable start() {
      workflowRegistry.workflow(
          ScheduleWorkflow.NAME, ScheduleWorkflow.SchedulePlan.class, ScheduleWorkflow::run);
      Map<String, Waiter> awaited = new ConcurrentHashMap<>();
      DispatcherPool dispatcherPool =
          new DispatcherPool(
              provider,
              config,
              workflowRegistry,
              workflowTracing,
              dispatcherCounts,
              id -> Optional.ofNullable(awaited.get(id)).ifPresent(Waiter::wake));
      return new Durable(provider, workflowTracing, Optional.of(dispatcherPool), awaited);
    }

    /** An engine that starts, tells and looks, and leaves the work to others. */
    public Durable connect() {
      return new Durable(provider, workflowTracing, Optional.empty(), new ConcurrentHashMap<>());
    }
  }

  /** Starts a workflow; returns when that is durable. An id that is taken is left as it is. */
  public void start(String workflow, String instanceId, @Nullable Object input) {
    DispatcherPool.start(provider, workflow, instanceId, input, workflowTracing.current());
  }

  /** Starts a workflow as a part of a trace, whose W3C {@code traceparent} is given. */
  public void start(
      String workflow, String instanceId, @Nullable Object input, String traceparent) {
    DispatcherPool.start(provider, workflow, instanceId, input, Optional.of(traceparent));
  }

  /**
   * Tells an instance something that happened outside. One that has not begun yet is told when it
   * begins, if it does within some four minutes.
   */
  public void raise(String instanceId, String event, @Nullable Object data) {
    DispatcherPool.raise(provider, instanceId, event, data);
  }

  /**
   * The start of a workflow as a statement for a transaction of the caller's, on a connection that
   * finds the engine's tables by its search path: the workflow starts if and only if the
   * transaction commits. An id that is taken is left as it is.
   */
  public static Query starting(Tx tx, String workflow, String instanceId, @Nullable Object input) {
    return starting(tx, workflow, instanceId, input, Optional.empty());
  }

  /** The same as a part of a trace, whose W3C {@code traceparent} is given. */
  public static Query starting(
      Tx tx,
      String workflow,
      String instanceId,
      @Nullable Object input,
      Optional<String> traceparent) {
    return tx.sql(
            """
            insert into orchestrator_queue (instance_id, work_item)
            values (?, jsonb_set(?::jsonb, '{data,at}', to_jsonb(now()))::text)
            """)
        .with(instanceId, DispatcherPool.startMessage(workflow, input, traceparent));
  }

  /**
   * Has a failed instance begin again with its input; false if it has not failed. What it did
   * before stays in its history, its activities are ordered anew.
   */
  public boolean retry(String instanceId) {
    return DispatcherPool.retry(provider, instanceId);
  }

  /** Asks an instance to end; see {@link WorkflowCancelledException}. */
  public void cancel(String instanceId, String reason) {
    DispatcherPool.cancel(provider, instanceId, reason);
  }

  /**
   * Has a workflow started by the clock, from now on and once for each tick, on whichever node; a
   * schedule of that id is changed. A run is an instance of its own with the id {@code
   * nightly@2026-11-22T01:30:00Z}. Ticks while a run is under way pass unused. After a time without
   * any node one run makes up for all the ticks that were missed.
   *
   * @param cron {@code 30 2 * * *}; with six fields the first is the second
   * @param zone whose clock; where it is put forward, a tick that does not exist comes when it is
   *     over, and where it is put back, a tick that is there twice comes once
   * @throws IllegalArgumentException if nobody can read the expression
   */
  public void schedule(
      String id, String cron, ZoneId zone, String workflow, @Nullable Object input) {
    ScheduleStore.put(provider, id, cron, zone, workflow, input);
  }

  /**
   * Ends a schedule; false if there was none of that id. A run that is under way goes on, and a
   * schedule that is put down again under the same id does not wait for it. Takes effect with the
   * next turn of the schedule, in milliseconds where a node is there.
   */
  public boolean unschedule(String id) {
    return ScheduleStore.remove(provider, id);
  }

  /** All schedules, the newest first. */
  public List<Schedule> schedules() {
    return ScheduleStore.list(provider);
  }

  /** An instance as it stands, its custom status included. */
  public Optional<InstanceInfo> instance(String instanceId) {
    return provider.admin().instance(instanceId);
  }

  /**
   * Waits for the end of an instance; told at once if it ends in this process, else found within a
   * second.
   *
   * @throws WorkflowFailedException with its error if it failed
   */
  public <T> T await(String instanceId, Class<T> type, Duration atMost)
      throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + atMost.toNanos();
    Waiter ended = awaited.computeIfAbsent(instanceId, id -> new Waiter());
    Duration look = LOOK_MIN;
    try {
      while (true) {
        Optional<InstanceInfo> found = instance(instanceId);
        if (found.isPresent() && found.get().status() == ExecutionStatus.COMPLETED) {
          return Json.read(found.get().output().orElse("null"), type);
        }
        if (found.isPresent() && found.get().status() == ExecutionStatus.FAILED) {
          throw new WorkflowFailedException(found.get().output().orElse(""));
        }
        long left = end - System.nanoTime();
        if (left <= 0) {
          throw new TimeoutException(instanceId + " has not ended within " + atMost);
        }
        boolean _ = ended.await(Duration.ofNanos(Math.min(left, look.toNanos())));
        look = look.multipliedBy(2).compareTo(LOOK_MAX) > 0 ? LOOK_MAX : look.multipliedBy(2);
      }
    } finally {
      boolean _ = awaited.remove(instanceId, ended);
    }
  }

  public Provider provider() {
    return provider;
  }

  /** Lets what runs come to its end, gives the rest back, and closes the provider. */
  @Override
  public void close() {
    dispatchers.ifPresent(DispatcherPool::close);
    provider.close();
  }
}
