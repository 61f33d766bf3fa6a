package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.Survey.Queue;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.Turn;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Attempt;
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
  private final Node alone;
  private final @Nullable Waking waking;
  private final Claims<OrchestrationItem> instanceClaims;
  private final Claims<WorkItem> workClaims;

  /** Of all pools; those of the ordinary one are among them. */
  private final Map<String, Claims<WorkItem>> pools = new ConcurrentHashMap<>();

  private final Instances instances;
  private final Works works;
  private final Admin admin;

  private PostgresProvider(
      DatabaseUrl url, DatabaseUrl listenUrl, String schema, LongPollConfig config) {
    Names names = new Names(schema);
    this.config = config;
    this.database = Session.open(url, CONNECTIONS, schema, config.enabled());
    this.claiming = Session.forClaims(url, CLAIMING, schema, config.enabled());
    this.alone = new Node(names);
    this.admin = new Admin(database);
    DurableSchema.install(database, schema);
    clock.answered(admin.now());
    this.waking = config.enabled() ? new Waking(listenUrl, database, names, config, clock) : null;
    if (waking != null) {
      waking.node().awaitNumber(NUMBER_WITHIN);
    }
    this.instanceClaims =
        new Claims<>(
            new InstanceClaims(claiming, new InstanceQueue()),
            clock,
            lane(Queue.ORCHESTRATOR, WorkMessage.ORDINARY),
            INSTANCES_MAX);
    this.workClaims = pool(WorkMessage.ORDINARY);
    this.instances = new Instances(database, instanceClaims, workClaims);
    this.works = new Works(database, workClaims, instanceClaims);
    if (waking != null) {
      // What comes first is as punctual as what comes later.
      instanceClaims.rehearse();
      workClaims.rehearse();
      works.rehearse();
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
    return fetch(Queue.ORCHESTRATOR, WorkMessage.ORDINARY, () -> instances.take(lock), poll);
  }

  @Override
  public Held ackOrchestrationItem(String lockToken, Turn turn) {
    return doing("ack_orchestration_item", () -> instances.ack(lockToken, turn));
  }

  @Override
  public Held abandonOrchestrationItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt) {
    return doing(
        "abandon_orchestration_item", () -> instances.abandon(lockToken, delay, ignoreAttempt));
  }

  @Override
  public Held renewOrchestrationItemLock(String lockToken, Duration extendBy) {
    return doing("renew_orchestration_item_lock", () -> instances.renew(lockToken, extendBy));
  }

  @Override
  public void enqueueForOrchestrator(InstanceMessage message) {
    Written<OrchestrationItem> _ =
        doing("enqueue_for_orchestrator", () -> instances.enqueue(message));
  }

  @Override
  public void enqueueForWorker(WorkMessage message) {
    Written<WorkItem> _ = doing("enqueue_for_worker", () -> works.enqueue(message));
  }

  @Override
  public Optional<WorkItem> fetchWorkItem(String pool, Duration lock, Duration poll)
      throws InterruptedException {
    Claims<WorkItem> claims = pool(pool);
    return fetch(Queue.WORKER, pool, () -> claims.take(lock), poll);
  }

  @Override
  public Held ackWorkItem(String lockToken, Optional<InstanceMessage> completion) {
    return doing("ack_work_item", () -> works.ack(lockToken, completion));
  }

  @Override
  public Held abandonWorkItem(String lockToken, Optional<Duration> delay, boolean ignoreAttempt) {
    return doing("abandon_work_item", () -> works.abandon(lockToken, delay, ignoreAttempt));
  }

  @Override
  public Held renewWorkItemLock(String lockToken, Duration extendBy) {
    return doing("renew_work_item_lock", () -> works.renew(lockToken, extendBy));
  }

  @Override
  public List<HistoryEvent> read(String instanceId) {
    return doing("read", () -> admin.current(instanceId));
  }

  @Override
  public Instant now() {
    return clock.now();
  }

  @Override
  public ProviderAdmin admin() {
    return admin;
  }

  /** Whether this node is told of new work, or polls because it cannot be told. */
  public boolean announced() {
    return waking != null && waking.announced();
  }

  /** How often the listener has connected; more than once means that it had lost a connection. */
  public long connects() {
    return waking == null ? 0 : waking.connects();
  }

  /** Statements that claimed, those that found nothing included. */
  public long claims() {
    return instances.claims() + pools.values().stream().mapToLong(Claims::count).sum();
  }

  /** Dispatchers that wait for a work item now. */
  int waitingForWork() {
    return waking == null
        ? 0
        : waking.queue(Queue.WORKER, WorkMessage.ORDINARY).channel().waiting();
  }

  /** Tokens that were sent to whoever waits for a work item. */
  long tokensForWork() {
    return waking == null ? 0 : waking.queue(Queue.WORKER, WorkMessage.ORDINARY).channel().sent();
  }

  /** Ends as a process does that is killed: nothing is given back. */
  void vanish() {
    if (waking != null) {
      waking.close();
    }
    claiming.close();
    database.close();
  }

  /** Gives back what was claimed and not handed out, and ends everything. */
  @Override
  public void close() {
    try {
      instanceClaims.giveBackAll();
      pools.values().forEach(Claims::giveBackAll);
    } catch (StoreUnavailable | SqlFailure e) {
      // The ends of their locks will free them.
    } finally {
      if (waking != null) {
        waking.close();
      }
      claiming.close();
      database.close();
    }
  }

  private <T> Optional<T> fetch(Queue queue, String pool, Supplier<Attempt<T>> take, Duration poll)
      throws InterruptedException {
    try {
      if (waking == null) {
        return take.get() instanceof Attempt.Found<T> found
            ? Optional.of(found.work())
            : Optional.empty();
      }
      WakeChain chain = waking.queue(queue, pool).chain();
      return chain.fetch(take, poll);
    } catch (StoreUnavailable | SqlFailure e) {
      throw failure("fetch", e);
    }
  }

  private Claims<WorkItem> pool(String name) {
    return pools.computeIfAbsent(
        name,
        pool ->
            new Claims<>(
                new WorkClaims(claiming, new WorkerQueue(), pool),
                clock,
                lane(Queue.WORKER, pool),
                WORK_MAX));
  }

  private Lane lane(Queue queue, String pool) {
    return waking == null
        ? Lane.silent(alone)
        : new Lane.Woken(waking, queue, waking.queue(queue, pool), config.timerGrace());
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
