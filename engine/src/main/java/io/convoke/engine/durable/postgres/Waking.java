package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.Survey.Queue;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Listener;
import io.convoke.engine.wake.Pause;
import io.convoke.engine.wake.StoreClock;
import io.convoke.engine.wake.Supervised;
import io.convoke.engine.wake.TimerHeap;
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
final class Waking implements AutoCloseable, Listener.Session {
  private static final Logger log = LoggerFactory.getLogger(Waking.class);
  private static final int TIMERS_MAX = 10_000;
  private static final Duration HEARS_WITHIN = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** After a break, so long may it take until all nodes have a session again. */
  private static final Duration RECOVERY = Duration.ofSeconds(10);

  private static final Duration LONG = Duration.ofHours(1);
  private static final Instant FAR = Instant.parse("2200-01-01T00:00:00Z");

  private enum Alarm {
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
  private final Names names;
  private final StoreClock clock;
  private final Node node;
  private final Announcer announcer;
  private final TimerHeap<Alarm> timers;
  private final QueueWake orchestrators;

  /** By pool, of which all hear of whatever is announced for the queue of work. */
  private final Map<String, QueueWake> workers = new ConcurrentHashMap<>();

  private final Pause surveyWanted = new Pause();
  private final Supervised surveyor;
  private final Listener listener;

  private final DeathWatch watch;
  private final AtomicLong lockEnd = new AtomicLong(Long.MAX_VALUE);
  private volatile boolean whole = true;
  private volatile boolean everything = true;
  private volatile boolean hears = true;
  private volatile boolean heard = true;
  private volatile boolean listening;
  private volatile boolean closed;
  private volatile boolean wasCut;
  private volatile long cutAt;
  private final Absences absences = new Absences();
  private Set<Integer> nodes = Set.of();

  Waking(DatabaseUrl url, Database database, Names names, LongPollConfig config, StoreClock clock) {
    this.config = config;
    this.database = database;
    this.names = names;
    this.clock = clock;
    this.node = new Node(names);
    this.announcer = new Announcer(url);
    this.timers = new TimerHeap<>("durable-timers", TIMERS_MAX, this::fired);
    this.orchestrators =
        new QueueWake(clock, config.timerGrace(), at -> timers.at(at, Alarm.ORCHESTRATOR_DUE));
    QueueWake _ = queue(Queue.WORKER, WorkMessage.ORDINARY);
    this.watch =
        new DeathWatch(
            wait -> timers.after(wait, Alarm.SURVEY),
            wait -> timers.after(wait, Alarm.TELL_HOLDING),
            () -> announcer.announce(names.holdChannel(), node.number()));
    this.surveyor = Supervised.start("durable-survey", this::surveyWhenWanted);
    this.listener =
        new Listener(
            url,
            Map.of(
                names.orchestratorChannel(), receiver(Queue.ORCHESTRATOR),
                names.workerChannel(), receiver(Queue.WORKER),
                names.selfChannel(), selfReceiver(),
                names.holdChannel(), holdReceiver()),
            this);
    timers.after(config.idleSleep(), Alarm.POLL);
    timers.after(config.fallbackInterval(), Alarm.FALLBACK);
  }

  /** How the dispatchers of a queue wait, or those of a pool of the queue of work. */
  QueueWake queue(Queue queue, String pool) {
    return switch (queue) {
      case ORCHESTRATOR -> orchestrators;
      case WORKER ->
          workers.computeIfAbsent(
              pool,
              name ->
                  new QueueWake(clock, config.timerGrace(), at -> timers.at(at, Alarm.WORKER_DUE)));
    };
  }

  private Collection<QueueWake> wakes(Queue queue) {
    return switch (queue) {
      case ORCHESTRATOR -> List.of(orchestrators);
      case WORKER -> workers.values();
    };
  }

  private void announce(Queue queue, Instant visibleAt) {
    wakes(queue).forEach(wake -> wake.announce(visibleAt));
  }

  private void lookAgain() {
    orchestrators.lookAgain();
    workers.values().forEach(QueueWake::lookAgain);
  }

  Node node() {
    return node;
  }

  /** Whether new work is announced to this node; else it polls. */
  boolean announced() {
    return listening && hears;
  }

  /** How often this node has begun to listen. */
  long connects() {
    return listener.connects();
  }

  /** This node wrote something: its own dispatchers are woken at once, other nodes soon. */
  void wrote(Queue queue, Instant visibleAt) {
    announce(queue, visibleAt);
    announcer.announce(channel(queue), ceilMs(visibleAt));
  }

  /** The same, when the writer has told other nodes itself, through a server process. */
  void wroteAndTold(Queue queue, Instant visibleAt, int voice) {
    announcer.spoke(voice);
    announce(queue, visibleAt);
  }

  /** Whether a writer may tell other nodes itself, with its commit; it then has to. */
  boolean leavesItToWriter() {
    return announcer.leavesItToWriter();
  }

  String channel(Queue queue) {
    return switch (queue) {
      case ORCHESTRATOR -> names.orchestratorChannel();
      case WORKER -> names.workerChannel();
    };
  }

  /** Wakes a dispatcher when an item that was claimed early is due. */
  void wakeAt(Queue queue, long due) {
    timers.at(due, queue == Queue.ORCHESTRATOR ? Alarm.ORCHESTRATOR_DUE : Alarm.WORKER_DUE);
  }

  /** Something was locked until an instant of the monotonic clock: somebody looks then. */
  void lockedUntil(long end) {
    long known = lockEnd.getAndAccumulate(end, Math::min);
    if (end < known) {
      timers.at(end, Alarm.LOCK_END);
    }
  }

  /** Something was locked for this node when it was written: the others watch it from now on. */
  void holds() {
    watch.holds();
  }

  /** Another node may hold what this one did not find. */
  void heardOfOthers() {
    watch.heard();
  }

  @Override
  public void opened(Connection connection) throws SQLException {
    if (wasCut) {
      cutAt = System.nanoTime();
    }
    node.opened(connection);
  }

  @Override
  public void lost() {
    if (node.hasJoined()) {
      cutAt = System.nanoTime();
      wasCut = true;
    }
    node.lost();
    listening = false;
    timers.after(Duration.ZERO, Alarm.POLL);
  }

  @Override
  public void close() {
    closed = true;
    surveyWanted.close();
    listener.close();
    surveyor.close();
    timers.close();
    announcer.close();
    orchestrators.channel().close();
    workers.values().forEach(wake -> wake.channel().close());
  }

  private void fired(Alarm alarm) {
    switch (alarm) {
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
      case TELL_HOLDING -> watch.mayTellAgain();
      case LOCK_END -> {
        lockEnd.set(Long.MAX_VALUE);
        survey();
      }
      case FALLBACK -> {
        timers.after(config.fallbackInterval(), Alarm.FALLBACK);
        hearYourself();
        everything = true;
        survey();
      }
      case HEARING -> {
        if (listening && hears && !heard) {
          log.warn("the listener's connection is deaf; polling until it hears");
          hears = false;
          timers.after(Duration.ZERO, Alarm.POLL);
        }
      }
      case POLL -> {
        if (!announced() && !closed) {
          timers.after(config.idleSleep(), Alarm.POLL);
          lookAgain();
        }
      }
    }
  }

  private void hearYourself() {
    heard = false;
    announcer.announce(names.selfChannel(), node.number());
    timers.after(HEARS_WITHIN, Alarm.HEARING);
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
      Survey survey =
          database.read(
              tx ->
                  all
                      ? Survey.take(tx, config.timerGrace(), names.lockClass())
                      : Survey.peek(tx, config.timerGrace()));
      clock.answered(survey.now());
      survey.next().forEach((queue, at) -> wakes(queue).forEach(wake -> wake.next(at)));
      if (all) {
        apply(survey, Duration.ofNanos(System.nanoTime() - begun));
      }
    } catch (StoreUnavailable | SqlFailure e) {
      log.debug("no survey now: {}", e.getMessage());
      timers.after(RETRY, Alarm.SURVEY);
    } catch (RuntimeException | Error e) {
      timers.after(RETRY, Alarm.SURVEY);
      throw e;
    }
  }

  private void apply(Survey survey, Duration took) {
    survey.due().forEach(this::announce);
    if (everything && survey.waiting() && database.read(Places::admitAll)) {
      announce(Queue.WORKER, survey.now());
    }
    everything = false;
    boolean changed = !nodes.equals(survey.nodes());
    nodes = survey.nodes();
    boolean othersHold = false;
    Set<Integer> absent = new HashSet<>();
    for (Map.Entry<Integer, Instant> lease : survey.leases().entrySet()) {
      int holder = lease.getKey();
      boolean gone = holder != 0 && !node.owns(holder) && !survey.nodes().contains(holder);
      if (gone && absences.areOver(holder, System.nanoTime(), grace())) {
        log.info("node {} is gone; what it held is free", holder);
        database.run(tx -> Survey.free(tx, Survey.tokensOf(holder)));
        changed = true;
      } else {
        lockedUntil(
            Math.max(
                clock.monotonic(lease.getValue()),
                System.nanoTime() + took.multipliedBy(DeathWatch.SHARE).toNanos()));
        othersHold |= !node.owns(holder);
        if (gone) {
          boolean _ = absent.add(holder);
        }
      }
    }
    absences.keep(absent);
    if (changed) {
      lookAgain();
    }
    watch.looked(took, othersHold);
  }

  /** Longer after a break of this node's session, which may have cut other nodes' as well. */
  private Duration grace() {
    boolean cut = wasCut && (!listening || System.nanoTime() - cutAt < RECOVERY.toNanos());
    return cut ? Absences.GRACE_AFTER_BREAK : Absences.GRACE;
  }

  private Listener.Receiver receiver(Queue queue) {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        Instant visible = visibleFrom(payload);
        // The payload is rounded up, so what it announces may be visible a moment earlier.
        Instant from = visible.equals(Instant.MIN) ? visible : visible.minusMillis(1);
        wakes(queue).forEach(wake -> wake.announce(from, visible));
        watch.heard();
      }

      @Override
      public void notified(String payload, int sender) {
        if (!announcer.isOwn(sender)) {
          notified(payload);
        }
      }

      @Override
      public void rescan() {
        listening = true;
        everything = true;
        wakes(queue).forEach(QueueWake::lookAgain);
        survey();
      }
    };
  }

  private Listener.Receiver selfReceiver() {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        if (payload.equals(Integer.toString(node.number()))) {
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

  private Listener.Receiver holdReceiver() {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        watch.heard();
      }

      @Override
      public void notified(String payload, int sender) {
        if (!announcer.isOwn(sender)) {
          watch.heard();
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
