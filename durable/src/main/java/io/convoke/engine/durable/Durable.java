package io.convoke.engine.durable;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.provider.StartMessage;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.durable.runtime.JobPayload;
import io.convoke.engine.durable.runtime.JobRegistry;
import io.convoke.engine.durable.runtime.WorkflowRegistry;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.ApplicationDataSource;
import io.convoke.engine.sql.ConnectionSource;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/**
 * A durable workflow engine on plain Postgres. Several processes with the same workflows may use
 * one schema; when one dies the others continue its workflows.
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
  private final Provider provider;
  private final WorkflowTracing workflowTracing;
  private final Optional<DispatcherPool> dispatchers;
  private final CompletionWaiters completionWaiters;

  private Durable(
      Provider provider,
      WorkflowTracing workflowTracing,
      Optional<DispatcherPool> dispatchers,
      CompletionWaiters completionWaiters) {
    this.provider = provider;
    this.workflowTracing = workflowTracing;
    this.dispatchers = dispatchers;
    this.completionWaiters = completionWaiters;
  }

  /**
   * Builds an engine on a database, in the schema {@code durable}, with long polling. It keeps up
   * to {@value PostgresProvider#CONNECTIONS} connections; see {@link Builder#connections}.
   */
  public static Builder on(String url) {
    return on(DatabaseUrl.parse(url));
  }

  /**
   * Builds an engine on a data source of the application, in the schema {@code durable}, with long
   * polling. The engine borrows up to {@value PostgresProvider#CONNECTIONS} connections and keeps
   * most of them until it is closed; {@link Builder#connections} changes the number. They must be
   * sessions of the PostgreSQL driver, so no pooler that assigns connections per transaction may be
   * in between. The engine gives a session back with the settings that it had.
   *
   * <p>{@code start} and {@code connect} fail if the data source lends fewer within ten seconds.
   */
  public static Builder on(DataSource dataSource) {
    return on(new ApplicationDataSource(dataSource));
  }

  /**
   * Builds an engine behind a pooler.
   *
   * @param url with {@code pool_mode=transaction} if the pooler gives each transaction another
   *     session
   * @param listenUrl past the pooler: LISTEN needs a session
   */
  public static Builder on(String url, String listenUrl) {
    return on(DatabaseUrl.parse(url), DatabaseUrl.parse(listenUrl));
  }

  private static Builder on(ConnectionSource source) {
    return on(source, source);
  }

  private static Builder on(ConnectionSource source, ConnectionSource listening) {
    LongPollConfig config = LongPollConfig.defaults().on();
    return new Builder(
        connections ->
            PostgresProvider.open(
                source,
                listening,
                "durable",
                config,
                connections.orElse(PostgresProvider.CONNECTIONS)),
        config);
  }

  /** Builds an engine on a provider, which the engine closes. */
  public static Builder over(Provider provider, LongPollConfig config) {
    return new Builder(
        connections -> {
          if (connections.isPresent()) {
            throw new IllegalStateException("an open provider has its connections");
          }
          return provider;
        },
        config);
  }

  /** The workflows, activities and sizes of an engine. */
  public static final class Builder {
    private final Function<Optional<Integer>, Provider> opening;
    private final LongPollConfig config;
    private Optional<Integer> connections = Optional.empty();
    private final WorkflowRegistry workflowRegistry = new WorkflowRegistry();
    private final JobRegistry jobRegistry = new JobRegistry();
    private DispatcherPool.DispatcherCounts dispatcherCounts =
        DispatcherPool.DispatcherCounts.STANDARD;
    private WorkflowTracing workflowTracing = WorkflowTracing.NONE;
    private Optional<Duration> retention = Optional.empty();
    private Duration attemptTimeout = Duration.ofHours(1);

    private Builder(Function<Optional<Integer>, Provider> opening, LongPollConfig config) {
      this.opening = opening;
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
     * Registers an activity that runs in a pool of its own, so that a full pool does not delay
     * activities of other pools. The node that runs the workflow chooses the pool; without {@link
     * #pool} it has as many workers as the default pool.
     */
    public <I, O> Builder activity(
        String name, String pool, Class<I> input, Activity<I, O> activity) {
      workflowRegistry.activity(name, pool, input, activity);
      return this;
    }

    /** Registers a job, which this node then runs; see {@link JobOptions#STANDARD}. */
    public <I> Builder job(String name, Class<I> input, Job<I> job) {
      return job(name, input, JobOptions.STANDARD, job);
    }

    /** Registers a job. A null that was enqueued is a null input. */
    public <I> Builder job(String name, Class<I> input, JobOptions options, Job<I> job) {
      jobRegistry.job(name, input, options, job);
      return this;
    }

    /**
     * Defines a pool.
     *
     * @param workers how many of its activities this node runs at a time; 0 runs none
     */
    public Builder pool(String name, int workers) {
      workflowRegistry.pool(name, workers, false);
      return this;
    }

    /**
     * Defines a pool whose workers are threads of the operating system: for activities that compute
     * for longer than a few milliseconds, which on virtual threads would delay lock renewals and
     * everything else that runs on those.
     */
    public Builder platformPool(String name, int workers) {
      workflowRegistry.pool(name, workers, true);
      return this;
    }

    /**
     * How long an attempt of an activity or job may take that sets neither a timeout nor a
     * heartbeat; an hour unless set, and at least 1 ms.
     */
    public Builder attemptTimeout(Duration most) {
      AttemptLimits.check("a timeout", most);
      attemptTimeout = most;
      return this;
    }

    public Builder size(DispatcherPool.DispatcherCounts other) {
      dispatcherCounts = other;
      return this;
    }

    /** Sets how many connections the engine keeps at most, at least 6. */
    public Builder connections(int most) {
      connections = Optional.of(most);
      return this;
    }

    /** Sets the tracing library, which records turns and activities. */
    public Builder traces(WorkflowTracing other) {
      workflowTracing = other;
      return this;
    }

    /**
     * Deletes instances, with their histories and results, some time after they have ended, and
     * dead jobs some time after their death; without it they are kept. Ids of instances may then be
     * used again. The shortest retention among the nodes of a schema counts.
     */
    public Builder keepEndedFor(Duration retentionOfEnded) {
      if (retentionOfEnded.isNegative() || retentionOfEnded.isZero()) {
        throw new IllegalArgumentException("the retention must be positive");
      }
      retention = Optional.of(retentionOfEnded);
      return this;
    }

    /** Starts an engine; a builder whose start failed may be started again. */
    public Durable start() {
      WorkflowRegistry withSchedules = workflowRegistry.copy();
      withSchedules.workflow(
          ScheduleWorkflow.NAME, ScheduleWorkflow.SchedulePlan.class, ScheduleWorkflow::run);
      Provider provider = opening.apply(connections);
      withSchedules.workflow(
          ScheduledJob.NAME,
          ScheduledJob.JobOfTick.class,
          (context, jobOfTick) -> ScheduledJob.run(provider, context, jobOfTick));
      CompletionWaiters completionWaiters = new CompletionWaiters(provider);
      DispatcherPool dispatcherPool =
          new DispatcherPool(
              provider,
              config,
              withSchedules,
              jobRegistry,
              workflowTracing,
              dispatcherCounts,
              attemptTimeout,
              completionWaiters);
      retention.ifPresent(dispatcherPool::pruneEnded);
      return new Durable(provider, workflowTracing, Optional.of(dispatcherPool), completionWaiters);
    }

    /**
     * Builds a client: it enqueues jobs, and starts, signals and queries workflows, and runs none,
     * whatever is registered.
     */
    public Durable connect() {
      Provider provider = opening.apply(connections);
      return new Durable(
          provider, workflowTracing, Optional.empty(), new CompletionWaiters(provider));
    }
  }

  /** Starts a workflow, and returns when that is durable. Does nothing if the id is in use. */
  public void start(String workflow, String instanceId, @Nullable Object input) {
    DispatcherPool.start(provider, workflow, instanceId, input, workflowTracing.current());
  }

  /** Starts a workflow within the trace of a W3C {@code traceparent}. */
  public void start(
      String workflow, String instanceId, @Nullable Object input, String traceparent) {
    DispatcherPool.start(provider, workflow, instanceId, input, Optional.of(traceparent));
  }

  /**
   * Starts a workflow in a transaction of the caller, on a connection of any pool to the same
   * database: it starts if and only if the transaction commits. Does nothing if the id is in use.
   * The engine executes one insert, and neither commits nor changes a setting.
   */
  public void start(
      Connection connection, String workflow, String instanceId, @Nullable Object input)
      throws SQLException {
    provider.start(
        connection,
        instanceId,
        DispatcherPool.startMessage(workflow, input, workflowTracing.current()));
  }

  /**
   * Sends an external event to an instance. An instance that has not begun receives it if it begins
   * within about three minutes.
   */
  public void raise(String instanceId, String event, @Nullable Object data) {
    DispatcherPool.raise(provider, instanceId, event, data);
  }

  /**
   * A statement that starts a workflow in a transaction of the caller, on a connection whose search
   * path contains the engine's schema: the workflow starts if and only if the transaction commits.
   * Does nothing if the id is in use.
   */
  public static Query starting(Tx tx, String workflow, String instanceId, @Nullable Object input) {
    return starting(tx, workflow, instanceId, input, Optional.empty());
  }

  /** A statement that starts a workflow within the trace of a W3C {@code traceparent}. */
  public static Query starting(
      Tx tx,
      String workflow,
      String instanceId,
      @Nullable Object input,
      Optional<String> traceparent) {
    StartMessage message = DispatcherPool.startMessage(workflow, input, traceparent);
    return tx.sql(
            """
            insert into orchestrator_queue (instance_id, work_item)
            values (?, ?::text || to_jsonb(now())::text || ?::text)
            """)
        .with(instanceId, message.before(), message.after());
  }

  /**
   * Runs a failed instance again with its input, all activities included; false if it has not
   * failed. The history of the failed execution is kept.
   */
  public boolean retry(String instanceId) {
    return DispatcherPool.retry(provider, instanceId);
  }

  /**
   * Enqueues a job and returns its id when it is durable. Any name may be enqueued; the job waits
   * for a node that has registered it.
   *
   * @param job a name of 1 to 200 characters
   * @param input at most 1 MiB as JSON
   */
  public String enqueue(String job, @Nullable Object input) {
    NewJob newJob = newJob(job, input, EnqueueOptions.NONE);
    boolean _ = provider.jobs().enqueue(newJob);
    return newJob.id();
  }

  /**
   * Enqueues a job with options.
   *
   * @return its id; empty if nothing was enqueued, because a job with its unique key waits or runs
   */
  public Optional<String> enqueue(String job, @Nullable Object input, EnqueueOptions options) {
    NewJob newJob = newJob(job, input, options);
    return Optional.of(newJob).filter(provider.jobs()::enqueue).map(NewJob::id);
  }

  /** Enqueues a job for each input, all or none, and returns their ids in the same order. */
  public List<String> enqueueAll(String job, Collection<?> inputs) {
    return enqueueAll(job, inputs, EnqueueOptions.NONE);
  }

  /** Enqueues a job for each input with options that have no unique key. */
  public List<String> enqueueAll(String job, Collection<?> inputs, EnqueueOptions options) {
    if (options.unique().isPresent()) {
      throw new IllegalArgumentException("of several jobs with one unique key one would remain");
    }
    List<NewJob> newJobs = inputs.stream().map(input -> newJob(job, input, options)).toList();
    provider.jobs().enqueueAll(newJobs);
    return newJobs.stream().map(NewJob::id).toList();
  }

  /**
   * Enqueues a job in a transaction of the caller, on a connection of any pool to the same
   * database: it is enqueued if and only if the transaction commits. The engine executes one
   * insert, and neither commits nor changes a setting.
   */
  public String enqueue(Connection connection, String job, @Nullable Object input)
      throws SQLException {
    NewJob newJob = newJob(job, input, EnqueueOptions.NONE);
    boolean _ = provider.jobs().enqueue(connection, newJob);
    return newJob.id();
  }

  /**
   * Enqueues a job with options in a transaction of the caller; empty if nothing was enqueued. A
   * unique key makes other enqueues with that key wait for the transaction's end, and a limit makes
   * all jobs and activities with limits wait, so such a transaction should be short.
   */
  public Optional<String> enqueue(
      Connection connection, String job, @Nullable Object input, EnqueueOptions options)
      throws SQLException {
    NewJob newJob = newJob(job, input, options);
    return provider.jobs().enqueue(connection, newJob)
        ? Optional.of(newJob.id())
        : Optional.empty();
  }

  private NewJob newJob(String job, @Nullable Object input, EnqueueOptions options) {
    return JobPayload.job(job, input, options, workflowTracing.current());
  }

  /**
   * Deletes a job that is not done; false if there is none. A running one is interrupted at the
   * next renewal of its lock, within ten seconds.
   */
  public boolean cancelJob(String id) {
    return provider.jobs().cancel(id);
  }

  /** A job that is not done. */
  public Optional<JobInfo> job(String id) {
    return provider.jobs().job(id);
  }

  /** Jobs that are not done, the newest first. */
  public List<JobInfo> jobs(JobQuery jobQuery) {
    return provider.jobs().jobs(jobQuery);
  }

  /** Jobs whose last attempt failed, the last first; a state in the query is ignored. */
  public List<DeadJob> deadJobs(JobQuery jobQuery) {
    return provider.jobs().dead(jobQuery);
  }

  /**
   * Enqueues a dead job again under its id, with its options and a full number of attempts; false
   * if it is not dead, or another job has taken its unique key.
   */
  public boolean requeue(String id) {
    return provider.jobs().requeue(id);
  }

  /** Deletes a dead job; false if there is none of that id. */
  public boolean deleteDeadJob(String id) {
    return provider.jobs().deleteDead(id);
  }

  /**
   * Cancels an instance; see {@link WorkflowCancelledException}.
   *
   * @param reason null, as the message of an exception may be, becomes "no reason given"
   */
  public void cancel(String instanceId, @Nullable String reason) {
    DispatcherPool.cancel(provider, instanceId, reason);
  }

  /**
   * Starts a workflow once for each future tick of a cron expression, on one of the nodes; replaces
   * a schedule of the same id. A run is an instance of its own with an id like {@code
   * nightly@2026-11-22T01:30:00Z}. Ticks during a run are skipped. After a time without any node
   * one run stands for all missed ticks.
   *
   * @param cron {@code 30 2 * * *}; with six fields the first is the second
   * @param zone of the expression; where its clock is put forward, a tick in the gap happens at the
   *     end of the gap, and where it is put back, a tick in the repeated hour happens once
   * @throws IllegalArgumentException if the expression is invalid
   */
  public void schedule(
      String id, String cron, ZoneId zone, String workflow, @Nullable Object input) {
    ScheduleStore.put(provider, id, cron, zone, workflow, input);
  }

  /**
   * Enqueues a job once for each future tick of a cron expression, unless the job of an earlier
   * tick still waits or runs; like {@link #schedule} in everything else. Its jobs have the tag
   * {@code schedule:} and the id.
   */
  public void scheduleJob(String id, String cron, ZoneId zone, String job, @Nullable Object input) {
    JsonNode tree = input == null ? NullNode.getInstance() : Json.tree(input);
    ScheduledJob.JobOfTick jobOfTick = new ScheduledJob.JobOfTick(id, job, tree);
    NewJob _ = jobOfTick.newJob(Optional.empty());
    ScheduleStore.put(provider, id, cron, zone, ScheduledJob.NAME, jobOfTick);
  }

  /**
   * Removes a schedule; false if there is none of that id. A run in progress continues, and a new
   * schedule of the same id does not wait for it. Takes effect with the next turn of the schedule,
   * within milliseconds while a node runs.
   */
  public boolean unschedule(String id) {
    return ScheduleStore.remove(provider, id);
  }

  /** All schedules, the newest first. */
  public List<Schedule> schedules() {
    return ScheduleStore.list(provider);
  }

  /** The state of an instance, including its custom status. */
  public Optional<InstanceInfo> instance(String instanceId) {
    return provider.admin().instance(instanceId);
  }

  /**
   * Waits for the end of an instance and returns its result, at once when it ends, on this node or
   * another one. An end that no node announced is found within five seconds, by one query for all
   * callers of a process. A caller that comes after a retry waits for the execution that the retry
   * began. An outage of the database does not end the wait.
   *
   * @throws WorkflowFailedException with its error if it failed
   * @throws IllegalStateException if this engine is closed, before or meanwhile
   */
  public <T> T await(String instanceId, Class<T> type, Duration atMost)
      throws InterruptedException, TimeoutException {
    ExecutionOutcome outcome = completionWaiters.await(instanceId, atMost);
    if (outcome.status() == ExecutionStatus.FAILED) {
      throw new WorkflowFailedException(outcome.output());
    }
    return Json.read(outcome.output(), type);
  }

  public Provider provider() {
    return provider;
  }

  /**
   * Waits for running work within a bound, interrupts and releases the rest, and closes the
   * provider.
   */
  @Override
  public void close() {
    dispatchers.ifPresent(DispatcherPool::close);
    completionWaiters.close();
    provider.close();
  }
}
