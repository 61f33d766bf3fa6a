package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueScan.QueueKind;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.PollResult;
import io.convoke.engine.wake.StoreClock;
import io.convoke.engine.wake.WakeChain;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The provider on PostgreSQL 14 and newer. It opens a pool of its own and, with long polling, two
 * connections beside it: one that listens, one that tells other nodes.
 */
public final class PostgresProvider implements Provider {
  /** Connections of the pool: those that commit, and one for everything else. */
  private static final int CONNECTIONS = 8;

  /** One for each queue: a node claims once at a time. */
  private static final int CLAIMING = 2;

  /** Items of one claim. */
  private static final int INSTANCES_MAX = 128;

  private static final int WORK_MAX = 500;

  /** A node that cannot listen by then begins without a number, and polls. */
  private static final Duration NUMBER_WITHIN = Duration.ofSeconds(1);

  private final Database database;
  private final Database claiming;
  private final LongPollConfig config;
  private final StoreClock clock = new StoreClock(Instant.now());
  private final NodeIdentity alone;
  private final @Nullable QueueNotifier queueNotifier;
  private final QueueClaimer<OrchestrationItem> instanceClaims;
  private final QueueClaimer<WorkItem> workClaims;

  /** Of all pools; those of the ordinary one are among them. */
  private final Map<String, QueueClaimer<WorkItem>> pools = new ConcurrentHashMap<>();

  private final InstanceStore instanceStore;
  private final WorkItemStore workItemStore;
  private final AdminQueries adminQueries;

  private PostgresProvider(
      DatabaseUrl url, DatabaseUrl listenUrl, String schema, LongPollConfig config) {
    SchemaNames schemaNames = new SchemaNames(schema);
    this.config = config;
    this.database = EngineConnections.open(url, CONNECTIONS, schema, config.enabled());
    this.claiming = EngineConnections.forClaims(url, CLAIMING, schema, config.enabled());
    this.alone = new NodeIdentity(schemaNames);
    this.adminQueries = new AdminQueries(database);
    DurableSchema.install(database, schema);
    clock.answered(adminQueries.now());
    this.queueNotifier =
        config.enabled()
            ? new QueueNotifier(listenUrl, database, schemaNames, config, clock)
            : null;
    if (queueNotifier != null) {
      queueNotifier.node().awaitNumber(NUMBER_WITHIN);
    }
    this.instanceClaims =
        new QueueClaimer<>(
            new InstanceClaimStatements(claiming, new InstanceQueue()),
            clock,
            lane(QueueKind.ORCHESTRATOR, WorkMessage.ORDINARY),
            INSTANCES_MAX);
    this.workClaims = pool(WorkMessage.ORDINARY);
    this.instanceStore = new InstanceStore(database, instanceClaims, workClaims);
    this.workItemStore = new WorkItemStore(database, workClaims, instanceClaims);
    if (queueNotifier != null) {
      // What comes first is as punctual as what comes later.
      instanceClaims.rehearse();
      workClaims.rehearse();
      workItemStore.rehearse();
    }
  }

  /** Opens a schema, whose tables are made or brought up to date. */
  public static PostgresProvider open(DatabaseUrl url, String schema, LongPollConfig config) {
    return new PostgresProvider(url, url, schema, config);
  }

  /**
   * The same with another way for listening, for a pool behind a proxy that gives out connections
   * for one transaction each: LISTEN needs a session.
   */
  public static PostgresProvider open(
      DatabaseUrl url, DatabaseUrl listenUrl, String schema, LongPollConfig config) {
    return new PostgresProvider(url, listenUrl, schema, config);
  }

  @Override
  public Optional<OrchestrationItem> fetchOrchestrationItem(Duration lock, Duration poll)
      throws InterruptedException {
    return fetch(
        QueueKind.ORCHESTRATOR, WorkMessage.ORDINARY, () -> instanceStore.take(lock), poll);
  }

  @Override
  public LockStatus ackOrchestrationItem(String lockToken, TurnCommit turnCommit) {
    return doing("ack_orchestration_item", () -> instanceStore.ack(lockToken, turnCommit));
  }

  @Override
  public LockStatus abandonOrchestrationItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt) {
    return doing(
        "abandon_orchestration_item", () -> instanceStore.abandon(lockToken, delay, ignoreAttempt));
  }

  @Override
  public LockStatus renewOrchestrationItemLock(String lockToken, Duration extendBy) {
    return doing("renew_orchestration_item_lock", () -> instanceStore.renew(lockToken, extendBy));
  }

  @Override
  public void enqueueForOrchestrator(InstanceMessage message) {
    InsertResult<OrchestrationItem> _ =
        doing("enqueue_for_orchestrator", () -> instanceStore.enqueue(message));
  }

  @Override
  public void enqueueForWorker(WorkMessage message) {
    InsertResult<WorkItem> _ = doing("enqueue_for_worker", () -> workItemStore.enqueue(message));
  }

  @Override
  public Optional<WorkItem> fetchWorkItem(String pool, Duration lock, Duration poll)
      throws InterruptedException {
    QueueClaimer<WorkItem> queueClaimer = pool(pool);
    return fetch(QueueKind.WORKER, pool, () -> queueClaimer.claimNext(lock), poll);
  }

  @Override
  public LockStatus ackWorkItem(String lockToken, Optional<InstanceMessage> completion) {
    return doing("ack_work_item", () -> workItemStore.ack(lockToken, completion));
  }

  @Override
  public LockStatus abandonWorkItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt) {
    return doing("abandon_work_item", () -> workItemStore.abandon(lockToken, delay, ignoreAttempt));
  }

  @Override
  public LockStatus renewWorkItemLock(String lockToken, Duration extendBy) {
    return doing("renew_work_item_lock", () -> workItemStore.renew(lockToken, extendBy));
  }

  @Override
  public List<HistoryEvent> read(String instanceId) {
    return doing("read", () -> adminQueries.current(instanceId));
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public ProviderAdmin admin() {
    return adminQueries;
  }

  /** Whether this node is told of new work, or polls because it cannot be told. */
  public boolean announced() {
    return queueNotifier != null && queueNotifier.announced();
  }

  /** How often the listener has connected; more than once means that it had lost a connection. */
  public long connects() {
    return queueNotifier == null ? 0 : queueNotifier.connects();
  }

  /** Statements that claimed, those that found nothing included. */
  public long claims() {
    return instanceStore.claims() + pools.values().stream().mapToLong(QueueClaimer::count).sum();
  }

  /** Dispatchers that wait for a work item now. */
  int waitingForWork() {
    return queueNotifier == null
        ? 0
        : queueNotifier.queue(QueueKind.WORKER, WorkMessage.ORDINARY).channel().waiting();
  }

  /** Tokens that were sent to whoever waits for a work item. */
  long tokensForWork() {
    return queueNotifier == null
        ? 0
        : queueNotifier.queue(QueueKind.WORKER, WorkMessage.ORDINARY).channel().sent();
  }

  /** Ends as a process does that is killed: nothing is given back. */
  void vanish() {
    if (queueNotifier != null) {
      queueNotifier.close();
    }
    claiming.close();
    database.close();
  }

  /** Gives back what was claimed and not handed out, and ends everything. */
  @Override
  public void close() {
    try {
      instanceClaims.releaseAll();
      pools.values().forEach(QueueClaimer::releaseAll);
    } catch (StoreUnavailable | SqlFailure e) {
      // The ends of their locks will free them.
    } finally {
      if (queueNotifier != null) {
        queueNotifier.close();
      }
      claiming.close();
      database.close();
    }
  }

  private <T> Optional<T> fetch(
      QueueKind queueKind, String pool, Supplier<PollResult<T>> take, Duration poll)
      throws InterruptedException {
    try {
      if (queueNotifier == null) {
        return take.get() instanceof PollResult.WorkFound<T> workFound
            ? Optional.of(workFound.work())
            : Optional.empty();
      }
      WakeChain chain = queueNotifier.queue(queueKind, pool).chain();
      return chain.fetch(take, poll);
    } catch (StoreUnavailable | SqlFailure e) {
      throw failure("fetch", e);
    }
  }

  private QueueClaimer<WorkItem> pool(String name) {
    return pools.computeIfAbsent(
        name,
        pool ->
            new QueueClaimer<>(
                new WorkItemClaimStatements(claiming, new WorkerQueue(), pool),
                clock,
                lane(QueueKind.WORKER, pool),
                WORK_MAX));
  }

  private QueueHandle lane(QueueKind queueKind, String pool) {
    return queueNotifier == null
        ? QueueHandle.silent(alone)
        : new QueueHandle.NotifiedQueue(
            queueNotifier, queueKind, queueNotifier.queue(queueKind, pool), config.timerGrace());
  }

  private static <T> T doing(String operation, Supplier<T> work) {
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

  /** Serialization failure, deadlock, a plan that an altered table made invalid, time limits. */
  private static final Set<String> RETRYABLE =
      Set.of("40001", "40P01", "0A000", "55P03", "57014", "25P03");
}
