package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.NewWorkNotifier.Announcement;
import io.convoke.engine.durable.postgres.QueueClaimer.InsertResult;
import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import io.convoke.engine.durable.provider.EndAnnouncements;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.ConnectionSource;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.engine.wake.StoreClock;
import io.convoke.engine.wake.TimerHeap;
import io.convoke.engine.wake.Waiter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the dispatchers of a node on notifications, timers, the fallback interval, the expiry of
 * locks and the death of other nodes, and notifies other nodes of what this one writes. While the
 * LISTEN connection is down it polls. With long polling disabled it has no connection and no scan,
 * and wakes no dispatcher.
 *
 * <p>A scan of the queues finds what was not announced. The node scans after each connect of the
 * listener, at each fallback, when a lock expires, and a few times a second while other nodes hold
 * locks, to detect their death. An idle node scans once a minute.
 */
final class QueueNotifier implements AutoCloseable, PostgresListener.ListenerSession {
  private static final Logger log = LoggerFactory.getLogger(QueueNotifier.class);
  private static final int TIMERS_MAX = 10_000;
  private static final Duration ECHO_WITHIN = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** How long all nodes may need to reconnect after a break. */
  private static final Duration RECOVERY = Duration.ofSeconds(10);

  /** How much later than others this node looks for an item that it left to them. */
  private static final Duration LEFT_FOR = Duration.ofMillis(250);

  private static final Duration LONG = Duration.ofHours(1);
  private static final Instant FAR = Instant.parse("2200-01-01T00:00:00Z");

  private enum WakeReason {
    ORCHESTRATOR_DUE,
    WORKER_DUE,
    SCAN,
    NOTIFY_LOCKS,
    LOCK_END,
    FALLBACK,
    ECHO_DUE,
    POLL
  }

  private final LongPollConfig config;
  private final Database database;
  private final SchemaNames schemaNames;
  private final StoreClock clock;
  private final NodeIdentity nodeIdentity;
  private final NewWorkNotifier newWorkNotifier;
  private final EndNotifier endNotifier;
  private final TimerHeap<WakeReason> timers;
  private final QueueSignals orchestrators;

  /** By pool; a notification for the worker queue goes to all of them. */
  private final Map<String, QueueSignals> workers = new ConcurrentHashMap<>();

  private final Waiter scanWanted = new Waiter();
  private final NodeLivenessMonitor liveness;

  /** The earliest expiry of a known lock, on the monotonic clock. */
  private final AtomicLong lockEnd = new AtomicLong(Long.MAX_VALUE);

  /** Null with long polling disabled, as is the listener. */
  private final @Nullable BackgroundLoop scanner;

  private final @Nullable PostgresListener postgresListener;

  /** Whether the next scan reads more than the timers. */
  private volatile boolean fullScan = true;

  /** Whether the next full scan also admits items that wait for a slot of their key. */
  private volatile boolean admitWaiting = true;

  /** Whether the LISTEN connection delivers; it does not if an echo is missing. */
  private volatile boolean delivers = true;

  private volatile boolean echoReceived = true;
  private volatile boolean listening;
  private volatile boolean closed;
  private volatile boolean sessionBroke;
  private volatile long brokeAt;
  private Set<Integer> nodes = Set.of();

  QueueNotifier(
      ConnectionSource source,
      Database database,
      SchemaNames schemaNames,
      LongPollConfig config,
      StoreClock clock) {
    this.config = config;
    this.database = database;
    this.schemaNames = schemaNames;
    this.clock = clock;
    this.nodeIdentity = new NodeIdentity(schemaNames);
    this.newWorkNotifier = new NewWorkNotifier(source);
    this.endNotifier = new EndNotifier(newWorkNotifier, schemaNames, this::announced);
    this.timers = new TimerHeap<>("durable-timers", TIMERS_MAX, this::fired);
    this.orchestrators = signals(WakeReason.ORCHESTRATOR_DUE);
    this.liveness =
        new NodeLivenessMonitor(
            wait -> timers.after(wait, WakeReason.SCAN),
            wait -> timers.after(wait, WakeReason.NOTIFY_LOCKS),
            () -> newWorkNotifier.announce(schemaNames.holdChannel(), nodeIdentity.number()));
    if (config.enabled()) {
      newWorkNotifier.start(endNotifier::take);
      this.scanner = BackgroundLoop.start("durable-scan", this::scanWhenWanted);
      this.postgresListener =
          new PostgresListener(
              source,
              Map.of(
                  schemaNames.orchestratorChannel(), receiver(QueueKind.ORCHESTRATOR),
                  schemaNames.workerChannel(), receiver(QueueKind.WORKER),
                  schemaNames.jobChannel(), newWorkNotifier.fromOthers(this::heardJob, () -> {}),
                  schemaNames.selfChannel(), echoReceiver(),
                  schemaNames.holdChannel(),
                      newWorkNotifier.fromOthers(_ -> liveness.onNotification(), () -> {}),
                  schemaNames.awaitChannel(), endNotifier.requests(),
                  schemaNames.endChannel(), endNotifier.ends()),
              this);
      timers.after(config.idleSleep(), WakeReason.POLL);
      timers.after(config.fallbackInterval(), WakeReason.FALLBACK);
    } else {
      this.scanner = null;
      this.postgresListener = null;
    }
  }

  /** Whether long polling is enabled. */
  boolean enabled() {
    return config.enabled();
  }

  EndAnnouncements ends() {
    return endNotifier;
  }

  /** The signals of a queue, or of a pool of the worker queue. */
  QueueSignals queue(QueueKind queueKind, String pool) {
    return switch (queueKind) {
      case ORCHESTRATOR -> orchestrators;
      case WORKER -> workers.computeIfAbsent(pool, _ -> signals(WakeReason.WORKER_DUE));
    };
  }

  private QueueSignals signals(WakeReason due) {
    Duration grace = config.enabled() ? config.timerGrace() : Duration.ZERO;
    return new QueueSignals(clock, grace, at -> timers.at(at, due));
  }

  private Collection<QueueSignals> signals(WakeTarget wakeTarget) {
    return switch (wakeTarget) {
      case WakeTarget.WholeQueue(QueueKind queueKind) -> signals(queueKind);
      case WakeTarget.JobPools(Set<String> pools) ->
          pools.stream().flatMap(pool -> Optional.ofNullable(workers.get(pool)).stream()).toList();
    };
  }

  private Collection<Announcement> announcements(WakeTarget wakeTarget) {
    return switch (wakeTarget) {
      case WakeTarget.WholeQueue(QueueKind queueKind) ->
          List.of(new Announcement(schemaNames.channel(queueKind), ""));
      case WakeTarget.JobPools(Set<String> pools) ->
          pools.stream().map(pool -> new Announcement(schemaNames.jobChannel(), pool)).toList();
    };
  }

  private Collection<QueueSignals> signals(QueueKind queueKind) {
    return switch (queueKind) {
      case ORCHESTRATOR -> List.of(orchestrators);
      case WORKER -> workers.values();
    };
  }

  private void announce(QueueKind queueKind, Instant visibleAt) {
    signals(queueKind).forEach(each -> each.announce(visibleAt));
  }

  private void pollAgain() {
    orchestrators.pollAgain();
    workers.values().forEach(QueueSignals::pollAgain);
  }

  /** A token for one claim of this node. */
  String token() {
    return nodeIdentity.token();
  }

  /** Waits for the node's number, or until the listener has failed to get one. */
  void awaitNumber(Duration atMost) {
    if (config.enabled()) {
      nodeIdentity.awaitNumber(atMost);
    }
  }

  /** Whether new work is announced to this node; otherwise it polls. */
  boolean announced() {
    return listening && delivers;
  }

  /** How often this node has begun to listen. */
  long connects() {
    return postgresListener == null ? 0 : postgresListener.connects();
  }

  /** After a commit of this node: wakes its dispatchers at once, and other nodes soon. */
  void wrote(QueueKind queueKind, Instant visibleAt) {
    wrote(new WakeTarget.WholeQueue(queueKind), visibleAt);
  }

  /** The same for a part of a queue. */
  void wrote(WakeTarget wakeTarget, Instant visibleAt) {
    if (config.enabled()) {
      signals(wakeTarget).forEach(each -> each.announce(visibleAt));
      announcements(wakeTarget).forEach(each -> newWorkNotifier.announce(each, ceilMs(visibleAt)));
    }
  }

  /** After a commit that left an item to other nodes: wakes theirs, and its own somewhat later. */
  void left(QueueKind queueKind, Instant visibleAt) {
    if (config.enabled()) {
      signals(queueKind).forEach(each -> each.announce(visibleAt, visibleAt.plus(LEFT_FOR)));
      newWorkNotifier.announce(schemaNames.channel(queueKind), ceilMs(visibleAt));
    }
  }

  /**
   * Commits an insert into a queue and notifies dispatchers of what became visible. After a pause
   * the writer itself notifies other nodes, in the same round trip right after its commit, which
   * has the least latency. Under continuous load the {@link NewWorkNotifier} notifies once for many
   * writers.
   *
   * @param wakeTarget what it writes to
   * @param insert stores what it made visible, as {@link NewWorkNotifier#visible} does
   * @param reading reads its rows
   */
  <T> InsertResult<T> insert(
      WakeTarget wakeTarget,
      Function<Tx, Query> insert,
      Function<BatchResults, InsertResult<T>> reading) {
    // A writer's two transactions must share a session, and its notification a known backend.
    if (!config.enabled()
        || database.isTransactionPooled()
        || !newWorkNotifier.leavesItToWriter()) {
      InsertResult<T> inserted =
          database.read(tx -> tx.queryTogether(List.of(insert.apply(tx)), reading));
      inserted.earliest().ifPresent(at -> wrote(wakeTarget, at));
      return inserted;
    }
    boolean committed = false;
    try {
      NotifiedInsert<T> notified =
          database.transaction(
              tx ->
                  tx.commit(
                      List.of(insert.apply(tx)),
                      NewWorkNotifier.notification(tx, announcements(wakeTarget)),
                      batchResults ->
                          new NotifiedInsert<>(
                              reading.apply(batchResults),
                              batchResults
                                  .first(resultRow -> resultRow.intAt("backend"))
                                  .orElseThrow())));
      committed = true;
      notified
          .inserted
          .earliest()
          .ifPresent(
              at -> {
                newWorkNotifier.notifiedBy(notified.backend);
                signals(wakeTarget).forEach(each -> each.announce(at));
              });
      return notified.inserted;
    } finally {
      if (!committed) {
        // The commit may have happened, and this node ignores its own notifications.
        wrote(wakeTarget, Instant.EPOCH);
      }
    }
  }

  /** An insert, and the backend process that notified of it. */
  private record NotifiedInsert<T>(InsertResult<T> inserted, int backend) {}

  /** A lock expires at an instant of the monotonic clock: schedules a scan for then. */
  void lockedUntil(long end) {
    if (config.enabled()) {
      long known = lockEnd.getAndAccumulate(end, Math::min);
      if (end < known) {
        timers.at(end, WakeReason.LOCK_END);
      }
    }
  }

  /** An insert locked items for this node; the notification makes other nodes watch it. */
  void lockedByInsert(long end) {
    lockedUntil(end);
    liveness.onLocksHeld();
  }

  /** A claim found nothing: other nodes may hold what there is. */
  void othersMayHoldLocks() {
    liveness.onNotification();
  }

  /** Frees everything that is locked under a token, or under tokens like a pattern. */
  void free(String tokens) {
    database.run(tx -> QueueSnapshot.free(tx, tokens));
  }

  @Override
  public void opened(Connection connection) throws SQLException {
    if (sessionBroke) {
      brokeAt = System.nanoTime();
    }
    nodeIdentity.opened(connection);
  }

  @Override
  public void lost() {
    if (nodeIdentity.hasJoined()) {
      brokeAt = System.nanoTime();
      sessionBroke = true;
    }
    nodeIdentity.lost();
    listening = false;
    timers.after(Duration.ZERO, WakeReason.POLL);
  }

  @Override
  public void close() {
    closed = true;
    scanWanted.close();
    if (postgresListener != null) {
      postgresListener.close();
    }
    if (scanner != null) {
      scanner.close();
    }
    timers.close();
    newWorkNotifier.close();
    orchestrators.channel().close();
    workers.values().forEach(each -> each.channel().close());
  }

  private void fired(WakeReason wakeReason) {
    switch (wakeReason) {
      case ORCHESTRATOR_DUE -> {
        boolean _ = orchestrators.channel().announce();
        scanWanted.wake();
      }
      case WORKER_DUE -> {
        workers.values().forEach(each -> each.channel().announce());
        scanWanted.wake();
      }
      case SCAN -> {
        liveness.onScanDue();
        requestFullScan();
      }
      case NOTIFY_LOCKS -> liveness.allowNotification();
      case LOCK_END -> {
        lockEnd.set(Long.MAX_VALUE);
        requestFullScan();
      }
      case FALLBACK -> {
        timers.after(config.fallbackInterval(), WakeReason.FALLBACK);
        requestEcho();
        admitWaiting = true;
        requestFullScan();
      }
      case ECHO_DUE -> {
        if (listening && delivers && !echoReceived) {
          log.warn("LISTEN delivers nothing; falling back to polling");
          delivers = false;
          timers.after(Duration.ZERO, WakeReason.POLL);
        }
      }
      case POLL -> {
        if (!announced() && !closed) {
          timers.after(config.idleSleep(), WakeReason.POLL);
          pollAgain();
        }
      }
    }
  }

  /** Notifies this node itself, to check that its LISTEN connection delivers. */
  private void requestEcho() {
    echoReceived = false;
    newWorkNotifier.announce(schemaNames.selfChannel(), nodeIdentity.number());
    timers.after(ECHO_WITHIN, WakeReason.ECHO_DUE);
  }

  private void requestFullScan() {
    fullScan = true;
    scanWanted.wake();
  }

  private void scanWhenWanted() throws InterruptedException {
    if (!scanWanted.await(LONG)) {
      return;
    }
    boolean all = fullScan;
    fullScan = false;
    long begun = System.nanoTime();
    try {
      QueueSnapshot queueSnapshot =
          database.read(
              tx ->
                  all
                      ? QueueSnapshot.read(tx, config.timerGrace(), schemaNames.lockClass())
                      : QueueSnapshot.peek(tx, config.timerGrace()));
      clock.answered(queueSnapshot.now());
      queueSnapshot
          .next()
          .forEach((queueKind, at) -> signals(queueKind).forEach(each -> each.next(at)));
      if (all) {
        apply(queueSnapshot, Duration.ofNanos(System.nanoTime() - begun));
      }
    } catch (StoreUnavailable | SqlFailure e) {
      log.debug("the scan failed and is retried: {}", e.getMessage());
      timers.after(RETRY, WakeReason.SCAN);
    } catch (RuntimeException | Error e) {
      timers.after(RETRY, WakeReason.SCAN);
      throw e;
    }
  }

  private void apply(QueueSnapshot queueSnapshot, Duration took) {
    queueSnapshot.due().forEach(this::announce);
    if (admitWaiting && queueSnapshot.waiting() && database.read(ConcurrencyLimits::admitAll)) {
      announce(QueueKind.WORKER, queueSnapshot.now());
    }
    admitWaiting = false;
    boolean changed = !nodes.equals(queueSnapshot.nodes());
    nodes = queueSnapshot.nodes();
    boolean othersHold = false;
    Set<Integer> absent = new HashSet<>();
    for (Map.Entry<Integer, Instant> lease : queueSnapshot.leases().entrySet()) {
      int holder = lease.getKey();
      boolean gone =
          holder != 0 && !nodeIdentity.owns(holder) && !queueSnapshot.nodes().contains(holder);
      if (gone && liveness.isDead(holder, System.nanoTime(), grace())) {
        log.info("node {} is dead; released its locks", holder);
        free(QueueSnapshot.tokensOf(holder));
        changed = true;
      } else {
        lockedUntil(
            Math.max(
                clock.monotonic(lease.getValue()),
                System.nanoTime() + took.multipliedBy(NodeLivenessMonitor.SHARE).toNanos()));
        othersHold |= !nodeIdentity.owns(holder);
        if (gone) {
          boolean _ = absent.add(holder);
        }
      }
    }
    liveness.keepAbsent(absent);
    if (changed) {
      pollAgain();
    }
    liveness.onScanCompleted(took, othersHold);
  }

  /** Longer after a break of this node's session, which may have cut other nodes' as well. */
  private Duration grace() {
    boolean recovering =
        sessionBroke && (!listening || System.nanoTime() - brokeAt < RECOVERY.toNanos());
    return recovering ? NodeLivenessMonitor.GRACE_AFTER_BREAK : NodeLivenessMonitor.GRACE;
  }

  /** Other nodes have written: wakes dispatchers of this node. */
  private void heard(Collection<QueueSignals> concerned, String payload) {
    Instant visible = visibleFrom(payload);
    // The payload is rounded up, so the item may be visible a millisecond earlier.
    Instant from = visible.equals(Instant.MIN) ? visible : visible.minusMillis(1);
    concerned.forEach(each -> each.announce(from, visible));
    liveness.onNotification();
  }

  /** An instant and the pool that it concerns; after a connect all pools are scanned. */
  private void heardJob(String payload) {
    int end = payload.indexOf(' ');
    if (end > 0) {
      heard(
          signals(new WakeTarget.JobPools(Set.of(payload.substring(end + 1)))),
          payload.substring(0, end));
    }
  }

  private PostgresListener.NotificationReceiver receiver(QueueKind queueKind) {
    return newWorkNotifier.fromOthers(
        payload -> heard(signals(queueKind), payload),
        () -> {
          listening = true;
          admitWaiting = true;
          signals(queueKind).forEach(QueueSignals::pollAgain);
          requestFullScan();
        });
  }

  private PostgresListener.NotificationReceiver echoReceiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        if (payload.equals(Integer.toString(nodeIdentity.number()))) {
          echoReceived = true;
          delivers = true;
        }
      }

      @Override
      public void rescan() {
        delivers = true;
      }
    };
  }

  /** The instant of a payload; a payload without one announces items that are visible already. */
  private static Instant visibleFrom(String payload) {
    try {
      return Instant.ofEpochMilli(Long.parseLong(payload));
    } catch (NumberFormatException foreign) {
      return Instant.MIN;
    }
  }

  /** Epoch milliseconds, rounded up; the infinities are announced as the nearest bound. */
  private static long ceilMs(Instant instant) {
    if (instant.isBefore(Instant.EPOCH)) {
      return 0;
    }
    return instant.isAfter(FAR) ? FAR.toEpochMilli() : instant.plusNanos(999_999).toEpochMilli();
  }
}
