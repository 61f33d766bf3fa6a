package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import io.convoke.engine.durable.provider.EndAnnouncements;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.JobRepository;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.StartMessage;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.ApplicationDataSource;
import io.convoke.engine.sql.ConnectionSource;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.StoreClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The provider on PostgreSQL 14 and newer. It opens pools of its own and, with long polling, two
 * connections beside them: one for LISTEN and one for NOTIFY.
 */
public final class PostgresProvider implements Provider {
  /**
   * Connections that a node keeps at most: eight that commit and answer questions, two for claims,
   * one for LISTEN and one for NOTIFY.
   */
  public static final int CONNECTIONS = 12;

  /** Fewer would not do. */
  private static final int CONNECTIONS_MIN = 6;

  /** One for each queue: a node claims once at a time. */
  private static final int CLAIMING = 2;

  /** For LISTEN and NOTIFY. */
  private static final int WAKING = 2;

  private static final Duration LENT_WITHIN = Duration.ofSeconds(10);

  /** Items of one claim. */
  private static final int INSTANCES_MAX = 256;

  private static final int WORK_MAX = 500;

  /** Turns of one transaction. */
  private static final int TURNS_MAX = 256;

  /** Acks of work items of one transaction. */
  private static final int ACKS_MAX = 500;

  /** A node whose LISTEN connection takes longer starts without a number, and polls. */
  private static final Duration NUMBER_WITHIN = Duration.ofSeconds(1);

  private final SchemaNames schemaNames;
  private final Database database;
  private final Database claiming;
  private final StoreClock clock = new StoreClock(Instant.now());
  private final QueueNotifier notifier;
  private final WorkItemStore workItemStore;
  private final QueueClaimer<OrchestrationItem> instanceClaims;

  /** By pool, the default pool among them. */
  private final Map<String, QueueClaimer<WorkItem>> workClaims = new ConcurrentHashMap<>();

  private final QueueCommits<OrchestrationItem, InstanceMessage, TurnCommit, WorkItem> instances;
  private final QueueCommits<WorkItem, WorkMessage, Optional<InstanceMessage>, OrchestrationItem>
      workItems;
  private final JobStore jobStore;
  private final AdminQueries adminQueries;

  private PostgresProvider(
      ConnectionSource source,
      ConnectionSource listening,
      String schema,
      LongPollConfig config,
      int connections) {
    if (listening instanceof DatabaseUrl url && url.transactionPooled()) {
      throw new IllegalArgumentException(
          "LISTEN needs a session: pass a URL past the pooler of transactions too");
    }
    this.schemaNames = new SchemaNames(schema);
    this.database =
        EngineConnections.open(
            source, connections - CLAIMING - WAKING, schemaNames, config.enabled());
    this.claiming = EngineConnections.forClaims(source, CLAIMING, schemaNames, config.enabled());
    install(schema);
    this.notifier = new QueueNotifier(listening, database, schemaNames, config, clock);
    this.adminQueries = new AdminQueries(database, notifier);
    notifier.awaitNumber(NUMBER_WITHIN);
    InstanceStore instanceStore = new InstanceStore(database, claiming, notifier);
    this.workItemStore = new WorkItemStore(database, claiming, notifier);
    this.instanceClaims =
        new QueueClaimer<>(
            instanceStore,
            clock,
            notifier,
            QueueKind.ORCHESTRATOR,
            WorkMessage.DEFAULT_POOL,
            INSTANCES_MAX);
    QueueClaimer<WorkItem> defaultPool = pool(WorkMessage.DEFAULT_POOL);
    this.instances = new QueueCommits<>(instanceStore, instanceClaims, defaultPool, TURNS_MAX);
    this.workItems = new QueueCommits<>(workItemStore, defaultPool, instanceClaims, ACKS_MAX);
    this.jobStore =
        new JobStore(
            database,
            notifier,
            schemaNames,
            new JobInserts(database, notifier, pool -> Optional.ofNullable(workClaims.get(pool))));
    if (config.enabled()) {
      // The first item is as punctual as later ones.
      instanceClaims.warmUp();
      defaultPool.warmUp();
      workItemStore.warmUp();
    }
  }

  /** Opens a schema and creates or upgrades its tables. */
  public static PostgresProvider open(DatabaseUrl url, String schema, LongPollConfig config) {
    return open(url, url, schema, config, CONNECTIONS);
  }

  /**
   * Opens a schema behind a pooler.
   *
   * @param url with {@code pool_mode=transaction} if the pooler gives each transaction another
   *     session
   * @param listenUrl bypasses the pooler: LISTEN needs a session
   */
  public static PostgresProvider open(
      DatabaseUrl url, DatabaseUrl listenUrl, String schema, LongPollConfig config) {
    return open(url, listenUrl, schema, config, CONNECTIONS);
  }

  /**
   * Opens a schema with another number of connections.
   *
   * @param source a URL, or a data source that lends so many connections beside those that the
   *     application needs itself
   * @param listening where LISTEN and NOTIFY have sessions
   * @param connections that the node keeps at most, at least 6
   * @throws IllegalStateException if the data source lends fewer
   */
  public static PostgresProvider open(
      ConnectionSource source,
      ConnectionSource listening,
      String schema,
      LongPollConfig config,
      int connections) {
    if (connections < CONNECTIONS_MIN) {
      throw new IllegalArgumentException(
          "the engine needs at least " + CONNECTIONS_MIN + " connections");
    }
    switch (source) {
      case DatabaseUrl _ -> {}
      case ApplicationDataSource application -> application.require(connections, LENT_WITHIN);
    }
    return new PostgresProvider(source, listening, schema, config, connections);
  }

  /** Installs the tables and reads the clock; without them it keeps no connection. */
  private void install(String schema) {
    boolean installed = false;
    try {
      DurableSchema.install(database, schema);
      clock.answered(AdminQueries.now(database));
      installed = true;
    } finally {
      if (!installed) {
        claiming.close();
        database.close();
      }
    }
  }

  @Override
  public Optional<OrchestrationItem> fetchOrchestrationItem(Duration lock, Duration poll)
      throws InterruptedException {
    return fetch(instanceClaims, lock, poll);
  }

  @Override
  public LockStatus ackOrchestrationItem(String lockToken, TurnCommit turnCommit) {
    return doing("ack_orchestration_item", () -> instances.ack(lockToken, turnCommit));
  }

  @Override
  public LockStatus abandonOrchestrationItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt) {
    return doing(
        "abandon_orchestration_item", () -> instances.abandon(lockToken, delay, ignoreAttempt));
  }

  @Override
  public LockStatus renewOrchestrationItemLock(String lockToken, Duration extendBy) {
    return doing("renew_orchestration_item_lock", () -> instances.renew(lockToken, extendBy));
  }

  @Override
  public void enqueueForOrchestrator(InstanceMessage message) {
    boolean _ = doing("enqueue_for_orchestrator", () -> instances.insert(message));
  }

  @Override
  public void start(Connection connection, String instanceId, StartMessage message)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            insert into %s.orchestrator_queue (instance_id, work_item)
            values (?, ?::text || to_jsonb(now())::text || ?::text)
            """
                .formatted(schemaNames.quoted()))) {
      insert.setString(1, instanceId);
      insert.setString(2, message.before());
      insert.setString(3, message.after());
      int _ = insert.executeUpdate();
    }
  }

  @Override
  public void enqueueForWorker(WorkMessage message) {
    boolean _ = doing("enqueue_for_worker", () -> workItems.insert(message));
  }

  @Override
  public Optional<WorkItem> fetchWorkItem(String pool, Duration lock, Duration poll)
      throws InterruptedException {
    return fetch(pool(pool), lock, poll);
  }

  @Override
  public void endWaits() {
    instanceClaims.endWaits();
    workClaims.values().forEach(QueueClaimer::endWaits);
  }

  @Override
  public LockStatus ackWorkItem(String lockToken, Optional<InstanceMessage> completion) {
    return doing("ack_work_item", () -> workItems.ack(lockToken, completion));
  }

  @Override
  public LockStatus abandonWorkItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt) {
    return doing("abandon_work_item", () -> workItems.abandon(lockToken, delay, ignoreAttempt));
  }

  @Override
  public LockStatus renewWorkItemLock(String lockToken, Duration extendBy) {
    return doing("renew_work_item_lock", () -> workItems.renew(lockToken, extendBy));
  }

  @Override
  public List<HistoryEvent> read(String instanceId) {
    return adminQueries.current(instanceId);
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public JobRepository jobs() {
    return jobStore;
  }

  @Override
  public ProviderAdmin admin() {
    return adminQueries;
  }

  @Override
  public EndAnnouncements ends() {
    return notifier.ends();
  }

  /** Whether this node is notified of new work; otherwise it polls. */
  public boolean announced() {
    return notifier.announced();
  }

  /** How often the listener has connected; more than once means that it lost a connection. */
  public long connects() {
    return notifier.connects();
  }

  /** Claim statements, including those that found nothing. */
  public long claims() {
    return instanceClaims.count()
        + workClaims.values().stream().mapToLong(QueueClaimer::count).sum();
  }

  /** Dispatchers of the default pool that wait for a work item now. */
  int waitingForWork() {
    return pool(WorkMessage.DEFAULT_POOL).waiting();
  }

  /** Tokens that were sent to dispatchers of the default pool. */
  long tokensForWork() {
    return pool(WorkMessage.DEFAULT_POOL).tokens();
  }

  /** Ends like a process that is killed: releases nothing. */
  void vanish() {
    notifier.close();
    claiming.close();
    database.close();
  }

  /** Releases the items that were claimed and not handed out, and closes all connections. */
  @Override
  public void close() {
    try {
      instanceClaims.releaseAll();
      workClaims.values().forEach(QueueClaimer::releaseAll);
    } catch (StoreUnavailable | SqlFailure e) {
      // Their locks will expire.
    } finally {
      vanish();
    }
  }

  private static <T> Optional<T> fetch(QueueClaimer<T> claimer, Duration lock, Duration poll)
      throws InterruptedException {
    try {
      return claimer.fetch(lock, poll);
    } catch (StoreUnavailable | SqlFailure e) {
      throw failure("fetch", e);
    }
  }

  private QueueClaimer<WorkItem> pool(String name) {
    return workClaims.computeIfAbsent(
        name,
        pool ->
            new QueueClaimer<>(workItemStore, clock, notifier, QueueKind.WORKER, pool, WORK_MAX));
  }

  static <T> T doing(String operation, Supplier<T> work) {
    try {
      return work.get();
    } catch (StoreUnavailable | SqlFailure e) {
      throw failure(operation, e);
    }
  }

  private static ProviderFailure failure(String operation, RuntimeException cause) {
    boolean retryable =
        cause instanceof StoreUnavailable
            || (cause instanceof SqlFailure sql && RETRYABLE.contains(sql.sqlState()));
    return new ProviderFailure(operation, retryable, cause);
  }

  /** Serialization failure, deadlock, a plan that an altered table made invalid, timeouts. */
  private static final Set<String> RETRYABLE =
      Set.of("40001", "40P01", "0A000", "55P03", "57014", "25P03");
}
