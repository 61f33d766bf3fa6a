package io.convoke.engine.journal;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.BackgroundLoop;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of a process that polls the journal's table: after a wake-up it reads new events,
 * decides how far they are settled, extends the buffer, and notifies other processes of events
 * written here.
 */
final class JournalPoller {
  private static final Logger log = LoggerFactory.getLogger(JournalPoller.class);
  private static final Duration SAFETY = Duration.ofSeconds(60);
  private static final Duration HOLE_RECHECK_MIN = Duration.ofMillis(2);
  private static final Duration HOLE_RECHECK_MAX = Duration.ofMillis(250);
  private static final Duration STORE_RETRY = Duration.ofSeconds(1);
  private static final Duration ANNOUNCE_PAUSE = Duration.ofMillis(10);
  private static final int SCAN_MAX = 1000;

  private final Database database;
  private final JournalTable table;
  private final HorizonScan.JournalView journalView;
  private final SettledEventBuffer settledEventBuffer;
  private final String node;
  private final TestSignal<Long> settled;
  private @Nullable BackgroundLoop loop;

  // Used by the loop's thread alone.
  private JournalHorizon journalHorizon = JournalHorizon.at(0);
  private boolean begun;
  private Duration holeRecheck = HOLE_RECHECK_MIN;
  private long announceNotBefore = System.nanoTime();
  private Duration pause = Duration.ZERO;

  /** Guards everything below; never held during a query. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private long asked = 1;
  private long attempted;
  private long served;
  private boolean announcePending;
  private boolean closed;

  JournalPoller(
      Database database,
      JournalTable table,
      SettledEventBuffer settledEventBuffer,
      String node,
      TestSignal<Long> settled) {
    this.database = database;
    this.table = table;
    this.journalView =
        new HorizonScan.JournalView() {
          @Override
          public List<JournalEvent> after(long seq, int limit) {
            return database.read(tx -> table.after(tx, seq, limit));
          }

          @Override
          public Set<String> writers() {
            return database.read(table::writers);
          }
        };
    this.settledEventBuffer = settledEventBuffer;
    this.node = node;
    this.settled = settled;
  }

  void start() {
    loop = BackgroundLoop.start("journal", this::turn);
  }

  /** Another process committed events, or may have. */
  void wake() {
    ask(false);
  }

  /** This process committed events; notifies other processes. */
  void appended() {
    ask(true);
  }

  /** Waits until all wake-ups so far have been served; false on timeout. */
  boolean catchUp(Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lock();
    try {
      long until = asked;
      while (served < until && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return served >= until;
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (loop != null) {
      loop.stop();
    }
  }

  private void ask(boolean announce) {
    lock.lock();
    try {
      asked++;
      announcePending |= announce;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void turn() throws InterruptedException {
    if (!awaitWork(pause)) {
      return;
    }
    long serving = begunAttempt();
    try {
      pause = begun ? scan() : begin();
      served(serving);
      pause = announce(pause);
    } catch (StoreUnavailable | SqlFailure e) {
      log.debug("the journal cannot be read, retrying: {}", e.getMessage());
      pause = STORE_RETRY;
    } catch (RuntimeException | Error e) {
      pause = STORE_RETRY;
      throw e;
    }
  }

  /**
   * Starts at the table's end once all transactions open at that time have ended; earlier, an event
   * could still appear before the start.
   */
  private Duration begin() {
    if (!journalHorizon.waitsForHole()) {
      long last = database.read(table::last);
      journalHorizon = new JournalHorizon(0, last, last == 0 ? Set.of() : journalView.writers());
    } else {
      journalHorizon = journalHorizon.without(journalView.writers());
    }
    if (!journalHorizon.writers().isEmpty()) {
      return recheck();
    }
    begun = true;
    journalHorizon = JournalHorizon.at(journalHorizon.holeUpTo());
    grow(List.of());
    return Duration.ZERO;
  }

  /** Scans the table once and returns how long the next scan may wait. */
  private Duration scan() {
    JournalHorizon before = journalHorizon;
    HorizonScan horizonScan = HorizonScan.from(before, journalView, SCAN_MAX);
    journalHorizon = horizonScan.horizon();
    boolean moved = journalHorizon.settled() > before.settled();
    if (moved) {
      grow(horizonScan.events());
    }
    if (journalHorizon.newHole(before)) {
      holeRecheck = HOLE_RECHECK_MIN;
    }
    if (!journalHorizon.waitsForHole()) {
      return horizonScan.all() ? SAFETY : Duration.ZERO;
    }
    boolean provable = journalHorizon.writers().isEmpty() || (moved && !horizonScan.all());
    return provable ? Duration.ZERO : recheck();
  }

  private void grow(List<JournalEvent> events) {
    settledEventBuffer.grow(journalHorizon.settled(), events);
    settled.emit(journalHorizon.settled());
  }

  /** A rollback sends no wake-up, so gaps are scanned again with growing delays. */
  private Duration recheck() {
    Duration now = holeRecheck;
    Duration doubled = now.multipliedBy(2);
    holeRecheck = doubled.compareTo(HOLE_RECHECK_MAX) < 0 ? doubled : HOLE_RECHECK_MAX;
    return now;
  }

  /** Notifies other processes of events written here, at a bounded rate. */
  private Duration announce(Duration untilNext) {
    if (!announcePending()) {
      return untilNext;
    }
    long wait = announceNotBefore - System.nanoTime();
    if (wait > 0) {
      return untilNext.toNanos() < wait ? untilNext : Duration.ofNanos(wait);
    }
    announceNotBefore = System.nanoTime() + ANNOUNCE_PAUSE.toNanos();
    announcing(false);
    try {
      database.run(tx -> table.announce(tx, node));
    } catch (RuntimeException | Error e) {
      announcing(true);
      throw e;
    }
    return untilNext;
  }

  /** Waits for a wake-up; false once closed. */
  private boolean awaitWork(Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lock();
    try {
      while (attempted == asked && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private long begunAttempt() {
    lock.lock();
    try {
      attempted = asked;
      return asked;
    } finally {
      lock.unlock();
    }
  }

  private void served(long upTo) {
    lock.lock();
    try {
      served = upTo;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean announcePending() {
    lock.lock();
    try {
      return announcePending;
    } finally {
      lock.unlock();
    }
  }

  private void announcing(boolean pending) {
    lock.lock();
    try {
      announcePending = pending;
    } finally {
      lock.unlock();
    }
  }
}
