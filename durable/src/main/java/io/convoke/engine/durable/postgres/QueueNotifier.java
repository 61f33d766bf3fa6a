package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueScan.QueueKind;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that wakes the dispatchers of one node: notifications, timers, the fallback, the ends
 * of locks, the death of other nodes. Without a connection to listen on it polls, and it goes back
 * to waiting when there is one again.
 *
 * <p>Surveys are what finds anything that was not announced. One is taken whenever the listener has
 * just connected, at each fallback, when a lock ends, and, as long as other nodes hold locks, a few
 * times a second, to notice a death. An idle node takes one each minute.
 */
final class QueueNotifier implements AutoCloseable, PostgresListener.ListenerSession {
  private static final Logger log = LoggerFactory.getLogger(QueueNotifier.class);
  private static final int TIMERS_MAX = 10_000;
  private static final Duration HEARS_WITHIN = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** After a break, so long may it take until all nodes have a session again. */
  private static final Duration RECOVERY = Duration.ofSeconds(10);

  private static final Duration LONG = Duration.ofHours(1);
  private static final Instant FAR = Instant.parse("2200-01-01T00:00:00Z");

  private enum WakeReason {
    ORCHESTRATOR_DUE,
    WORKER_DUE,
    SURVEY,
    TELL_HOLDING,
    LOCK_END,
    FALLBACK,
    HEARING,
    POLL
  }

  private final LongPollConfig config;
  private final Database database;
  private final SchemaNames schemaNames;
  private final StoreClock clock;
  private final NodeIdentity nodeIdentity;
  private final NewWorkNotifier newWorkNotifier;
  private final TimerHeap<WakeReason> timers;
  private final QueueSignals orchestrators;

  /** By pool, of which all hear of whatever is announced for the queue of work. */
  private final Map<String, QueueSignals> workers = new ConcurrentHashMap<>();

  private final Waiter surveyWanted = new Waiter();
  private final BackgroundLoop surveyor;
  private final PostgresListener postgresListener;

  private final NodeLivenessMonitor watch;
  private final AtomicLong lockEnd = new AtomicLong(Long.MAX_VALUE);
  private volatile boolean whole = true;
  private volatile boolean everything = true;
  private volatile boolean hears = true;
  private volatile boolean heard = true;
  private volatile boolean listening;
  private volatile boolean closed;
  private volatile boolean wasCut;
  private volatile long cutAt;
  private final SessionLossTracker sessionLossTracker = new SessionLossTracker();
  private Set<Integer> nodes = Set.of();

  QueueNotifier(
      DatabaseUrl url,
      Database database,
      SchemaNames schemaNames,
      LongPollConfig config,
      StoreClock clock) {
    this.config = config;
    this.database = database;
    this.schemaNames = schemaNames;
    this.clock = clock;
    this.nodeIdentity = new NodeIdentity(schemaNames);
    this.newWorkNotifier = new NewWorkNotifier(url);
    this.timers = new TimerHeap<>("durable-timers", TIMERS_MAX, this::fired);
    this.orchestrators =
        new QueueSignals(
            clock, config.timerGrace(), at -> timers.at(at, WakeReason.ORCHESTRATOR_DUE));
    QueueSignals _ = queue(QueueKind.WORKER, WorkMessage.ORDINARY);
    this.watch =
        new NodeLivenessMonitor(
            wait -> timers.after(wait, WakeReason.SURVEY),
            wait -> timers.after(wait, WakeReason.TELL_HOLDING),
            () -> newWorkNotifier.announce(schemaNames.holdChannel(), nodeIdentity.number()));
    this.surveyor = BackgroundLoop.start("durable-survey", this::surveyWhenWanted);
    this.postgresListener =
        new PostgresListener(
            url,
            Map.of(
                schemaNames.orchestratorChannel(), receiver(QueueKind.ORCHESTRATOR),
                schemaNames.workerChannel(), receiver(QueueKind.WORKER),
                schemaNames.selfChannel(), selfReceiver(),
                schemaNames.holdChannel(), holdReceiver()),
            this);
    timers.after(config.idleSleep(), WakeReason.POLL);
    timers.after(config.fallbackInterval(), WakeReason.FALLBACK);
  }

  /** How the dispatchers of a queue wait, or those of a pool of the queue of work. */
  QueueSignals queue(QueueKind queueKind, String pool) {
    return switch (queueKind) {
      case ORCHESTRATOR -> orchestrators;
      case WORKER ->
          workers.computeIfAbsent(
              pool,
              name ->
                  new QueueSignals(
                      clock, config.timerGrace(), at -> timers.at(at, WakeReason.WORKER_DUE)));
    };
  }

  private Collection<QueueSignals> wakes(QueueKind queueKind) {
    return switch (queueKind) {
      case ORCHESTRATOR -> List.of(orchestrators);
      case WORKER -> workers.values();
    };
  }

  private void announce(QueueKind queueKind, Instant visibleAt) {
    wakes(queueKind).forEach(wake -> wake.announce(visibleAt));
  }

  private void lookAgain() {
    orchestrators.pollAgain();
    workers.values().forEach(QueueSignals::pollAgain);
  }

  NodeIdentity node() {
    return nodeIdentity;
  }

  /** Whether new work is announced to this node; else it polls. */
  boolean announced() {
    return listening && hears;
  }

  /** How often this node has begun to listen. */
  long connects() {
    return postgresListener.connects();
  }

  /** This node wrote something: its own dispatchers are woken at once, other nodes soon. */
  void wrote(QueueKind queueKind, Instant visibleAt) {
    announce(queueKind, visibleAt);
    newWorkNotifier.announce(channel(queueKind), ceilMs(visibleAt));
  }

  /** The same, when the writer has told other nodes itself, through a server process. */
  void wroteAndTold(QueueKind queueKind, Instant visibleAt, int voice) {
    newWorkNotifier.spoke(voice);
    announce(queueKind, visibleAt);
  }

  /** Whether a writer may tell other nodes itself, with its commit; it then has to. */
  boolean leavesItToWriter() {
    return newWorkNotifier.leavesItToWriter();
  }

  String channel(QueueKind queueKind) {
    return switch (queueKind) {
      case ORCHESTRATOR -> schemaNames.orchestratorChannel();
      case WORKER -> schemaNames.workerChannel();
    };
  }

  /** Wakes a dispatcher when an item that was claimed early is due. */
  void wakeAt(QueueKind queueKind, long due) {
    timers.at(
        due,
        queueKind == QueueKind.ORCHESTRATOR ? WakeReason.ORCHESTRATOR_DUE : WakeReason.WORKER_DUE);
  }

  /** Something was locked until an instant of the monotonic clock: somebody looks then. */
  void lockedUntil(long end) {
    long known = lockEnd.getAndAccumulate(end, Math::min);
    if (end < known) {
      timers.at(end, WakeReason.LOCK_END);
    }
  }

  /** Something was locked for this node when it was written: the others watch it from now on. */
  void onLocksHeld() {
    watch.onLocksHeld();
  }

  /** Another node may hold what this one did not find. */
  void heardOfOthers() {
    watch.onNotification();
  }

  @Override
  public void opened(Connection connection) throws SQLException {
    if (wasCut) {
      cutAt = System.nanoTime();
    }
    nodeIdentity.opened(connection);
  }

  @Override
  public void lost() {
    if (nodeIdentity.hasJoined()) {
      cutAt = System.nanoTime();
      wasCut = true;
    }
    nodeIdentity.lost();
    listening = false;
    timers.after(Duration.ZERO, WakeReason.POLL);
  }

  @Override
  public void close() {
    closed = true;
    surveyWanted.close();
    postgresListener.close();
    surveyor.close();
    timers.close();
    newWorkNotifier.close();
    orchestrators.channel().close();
    workers.values().forEach(wake -> wake.channel().close());
  }

  private void fired(WakeReason wakeReason) {
    switch (wakeReason) {
      case ORCHESTRATOR_DUE -> {
        boolean _ = orchestrators.channel().announce();
        surveyWanted.wake();
      }
      case WORKER_DUE -> {
        workers.values().forEach(wake -> wake.channel().announce());
        surveyWanted.wake();
      }
      case SURVEY -> {
        watch.looking();
        survey();
      }
      case TELL_HOLDING -> watch.allowNotification();
      case LOCK_END -> {
        lockEnd.set(Long.MAX_VALUE);
        survey();
      }
      case FALLBACK -> {
        timers.after(config.fallbackInterval(), WakeReason.FALLBACK);
        hearYourself();
        everything = true;
        survey();
      }
      case HEARING -> {
        if (listening && hears && !heard) {
          log.warn("the listener's connection is deaf; polling until it hears");
          hears = false;
          timers.after(Duration.ZERO, WakeReason.POLL);
        }
      }
      case POLL -> {
        if (!announced() && !closed) {
          timers.after(config.idleSleep(), WakeReason.POLL);
          lookAgain();
        }
      }
    }
  }

  private void hearYourself() {
    heard = false;
    newWorkNotifier.announce(schemaNames.selfChannel(), nodeIdentity.number());
    timers.after(HEARS_WITHIN, WakeReason.HEARING);
  }

  private void survey() {
    whole = true;
    surveyWanted.wake();
  }

  private void surveyWhenWanted() throws InterruptedException {
    if (!surveyWanted.await(LONG)) {
      return;
    }
    boolean all = whole;
    whole = false;
    long begun = System.nanoTime();
    try {
      QueueScan queueScan =
          database.read(
              tx ->
                  all
                      ? QueueScan.read(tx, config.timerGrace(), schemaNames.lockClass())
                      : QueueScan.peek(tx, config.timerGrace()));
      clock.answered(queueScan.now());
      queueScan.next().forEach((queueKind, at) -> wakes(queueKind).forEach(wake -> wake.next(at)));
      if (all) {
        apply(queueScan, Duration.ofNanos(System.nanoTime() - begun));
      }
    } catch (StoreUnavailable | SqlFailure e) {
      log.debug("no survey now: {}", e.getMessage());
      timers.after(RETRY, WakeReason.SURVEY);
    } catch (RuntimeException | Error e) {
      timers.after(RETRY, WakeReason.SURVEY);
      throw e;
    }
  }

  private void apply(QueueScan queueScan, Duration took) {
    queueScan.due().forEach(this::announce);
    if (everything && queueScan.waiting() && database.read(ConcurrencyLimits::admitAll)) {
      announce(QueueKind.WORKER, queueScan.now());
    }
    everything = false;
    boolean changed = !nodes.equals(queueScan.nodes());
    nodes = queueScan.nodes();
    boolean othersHold = false;
    Set<Integer> absent = new HashSet<>();
    for (Map.Entry<Integer, Instant> lease : queueScan.leases().entrySet()) {
      int holder = lease.getKey();
      boolean gone =
          holder != 0 && !nodeIdentity.owns(holder) && !queueScan.nodes().contains(holder);
      if (gone && sessionLossTracker.areOver(holder, System.nanoTime(), grace())) {
        log.info("node {} is gone; what it held is free", holder);
        database.run(tx -> QueueScan.free(tx, QueueScan.tokensOf(holder)));
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
    sessionLossTracker.keep(absent);
    if (changed) {
      lookAgain();
    }
    watch.onScanCompleted(took, othersHold);
  }

  /** Longer after a break of this node's session, which may have cut other nodes' as well. */
  private Duration grace() {
    boolean cut = wasCut && (!listening || System.nanoTime() - cutAt < RECOVERY.toNanos());
    return cut ? SessionLossTracker.GRACE_AFTER_BREAK : SessionLossTracker.GRACE;
  }

  private PostgresListener.NotificationReceiver receiver(QueueKind queueKind) {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        Instant visible = visibleFrom(payload);
        // The payload is rounded up, so what it announces may be visible a moment earlier.
        Instant from = visible.equals(Instant.MIN) ? visible : visible.minusMillis(1);
        wakes(queueKind).forEach(wake -> wake.announce(from, visible));
        watch.onNotification();
      }

      @Override
      public void notified(String payload, int sender) {
        if (!newWorkNotifier.isOwn(sender)) {
          notified(payload);
        }
      }

      @Override
      public void rescan() {
        listening = true;
        everything = true;
        wakes(queueKind).forEach(QueueSignals::pollAgain);
        survey();
      }
    };
  }

  private PostgresListener.NotificationReceiver selfReceiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        if (payload.equals(Integer.toString(nodeIdentity.number()))) {
          heard = true;
          hears = true;
        }
      }

      @Override
      public void rescan() {
        hears = true;
      }
    };
  }

  private PostgresListener.NotificationReceiver holdReceiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        watch.onNotification();
      }

      @Override
      public void notified(String payload, int sender) {
        if (!newWorkNotifier.isOwn(sender)) {
          watch.onNotification();
        }
      }

      @Override
      public void rescan() {}
    };
  }

  /** What says no time may have been visible since ever. */
  private static Instant visibleFrom(String payload) {
    try {
      return Instant.ofEpochMilli(Long.parseLong(payload));
    } catch (NumberFormatException foreign) {
      return Instant.MIN;
    }
  }

  /** Eternity, either way, is announced as the nearest that has a number. */
  private static long ceilMs(Instant instant) {
    if (instant.isBefore(Instant.EPOCH)) {
      return 0;
    }
    return instant.isAfter(FAR) ? FAR.toEpochMilli() : instant.plusNanos(999_999).toEpochMilli();
  }
}
