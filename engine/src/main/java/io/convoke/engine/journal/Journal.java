package io.convoke.engine.journal;

import io.convoke.engine.journal.Horizon.Look;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.Listener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal of one store. Appending happens in the caller's transaction; one thread follows the
 * table and hands what is settled to all tails, which read the table themselves only while they
 * catch up.
 *
 * <p>Wake-ups: a commit of this process wakes the thread directly; other processes hear one
 * coalesced NOTIFY of its own transaction, because a NOTIFY inside the writer's transaction would
 * make all commits of the database queue up behind one lock. If a wake is lost, the table is looked
 * at within {@link #SAFETY}.
 */
public final class Journal implements AutoCloseable {
  /** The channel that announces new events; the payload is the process that wrote them. */
  public static final String CHANNEL = "convoke_events";

  /** The most events that one read answers. */
  public static final int READ_MAX = 500;

  private static final Logger log = LoggerFactory.getLogger(Journal.class);
  private static final Duration SAFETY = Duration.ofSeconds(60);
  private static final Duration HOLE_RECHECK = Duration.ofMillis(20);
  private static final Duration STORE_RETRY = Duration.ofSeconds(1);
  private static final Duration START_MAX = Duration.ofSeconds(5);
  private static final int LOOK_MAX = 1000;
  private static final int RECENT_MAX = 4096;

  private final Database database;
  private final JournalTable table = new JournalTable();
  private final String node = UUID.randomUUID().toString();
  private final Thread thread;
  private final Signal<Long> settledSignal = new Signal<>();

  /** Guards everything below; never held while the database is asked. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition woken = lock.newCondition();
  private final Condition grown = lock.newCondition();
  private final ArrayDeque<Event> recent = new ArrayDeque<>();
  private Horizon horizon = new Horizon(0, 0, 0);

  /** {@link #recent} holds every settled event after this sequence. */
  private long recentAfter;

  private boolean started;
  private boolean wakePending = true;
  private boolean announcePending;
  private boolean closed;

  public Journal(Database database) {
    this.database = database;
    this.thread = Thread.ofPlatform().name("journal").daemon().start(this::run);
  }

  /** Writes events in the caller's transaction, in their order, and wakes readers if it commits. */
  public void append(Tx tx, List<NewEvent> events) {
    if (events.isEmpty()) {
      return;
    }
    table.insert(tx, events);
    tx.afterCommit(this::appended);
  }

  /** Settled events after a sequence, oldest first, at most {@code limit}. */
  public List<Event> read(EventFilter filter, long after, int limit) {
    long settled = settled();
    return database.read(tx -> table.read(tx, filter, after, settled, limit));
  }

  /** Settled events before a sequence, newest first, at most {@code limit}. */
  public List<Event> readBefore(EventFilter filter, long before, int limit) {
    long end = Math.min(before, settled() + 1);
    return database.read(tx -> table.readBefore(tx, filter, end, limit));
  }

  /** Follows the journal from after a sequence on. */
  public Tail tail(long after, EventFilter filter) {
    return new Tail(this, after, filter);
  }

  /** The last settled sequence; a tail from here sees only what comes now. */
  public long settled() {
    long deadline = System.nanoTime() + START_MAX.toNanos();
    lock.lock();
    try {
      while (!started && !closed && deadline - System.nanoTime() > 0) {
        long _ = grown.awaitNanos(deadline - System.nanoTime());
      }
      return horizon.settled();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    } finally {
      lock.unlock();
    }
  }

  /** What the listener tells this journal; register it for {@link #CHANNEL}. */
  public Listener.Receiver receiver() {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        if (!payload.equals(node)) {
          wake();
        }
      }

      @Override
      public void rescan() {
        wake();
      }
    };
  }

  /** Each new settled sequence. */
  public Signal<Long> settledSignal() {
    return settledSignal;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      woken.signalAll();
      grown.signalAll();
    } finally {
      lock.unlock();
    }
    thread.interrupt();
  }

  /** A stretch of the journal that was read, with the events of it that fit. */
  record Piece(List<Event> events, long readUpTo) {}

  /** The next stretch after a sequence, from memory if it is recent; waits for it if need be. */
  Piece pieceAfter(long after, EventFilter filter, long deadlineNanos, BooleanSupplier stopped)
      throws InterruptedException {
    lock.lock();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (left > 0
          && !closed
          && !stopped.getAsBoolean()
          && (!started || after >= horizon.settled())) {
        left = grown.awaitNanos(left);
      }
      if (closed || !started || after >= horizon.settled()) {
        return new Piece(List.of(), after);
      }
      if (after >= recentAfter) {
        return recentPiece(after, filter);
      }
    } finally {
      lock.unlock();
    }
    long settled = settled();
    List<Event> events = database.read(tx -> table.read(tx, filter, after, settled, READ_MAX));
    return new Piece(events, events.size() == READ_MAX ? events.getLast().seq() : settled);
  }

  boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  void wakeReaders() {
    lock.lock();
    try {
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Piece recentPiece(long after, EventFilter filter) {
    List<Event> events = new ArrayList<>();
    for (Event event : recent) {
      if (event.seq() > after && filter.fits(event)) {
        events.add(event);
        if (events.size() == READ_MAX) {
          return new Piece(events, event.seq());
        }
      }
    }
    return new Piece(events, horizon.settled());
  }

  private void appended() {
    lock.lock();
    try {
      announcePending = true;
      wakePending = true;
      woken.signal();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      wakePending = true;
      woken.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Duration pause = Duration.ZERO;
    while (true) {
      try {
        if (!awaitWake(pause)) {
          return;
        }
        announce();
        pause = look();
      } catch (InterruptedException e) {
        return;
      } catch (StoreUnavailable | SqlFailure e) {
        log.debug("the journal cannot be read now: {}", e.getMessage());
        pause = STORE_RETRY;
      } catch (RuntimeException e) {
        log.warn("following the journal failed, will be tried again", e);
        pause = STORE_RETRY;
      }
    }
  }

  /** Waits for a wake, at most as long as asked; false once closed. */
  private boolean awaitWake(Duration pause) throws InterruptedException {
    lock.lock();
    try {
      long left = pause.toNanos();
      while (!wakePending && !closed && left > 0) {
        left = woken.awaitNanos(left);
      }
      wakePending = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Looks at the table once and answers how long the next look may wait. */
  private Duration look() {
    Horizon before = horizonNow();
    if (!started()) {
      Horizon seen = before.waitsForHole() ? before : database.read(table::visible);
      boolean settled = database.read(table::oldestWriter) >= seen.holeXmax();
      become(settled ? seen.begun() : seen, settled, List.of());
      return settled ? Duration.ZERO : HOLE_RECHECK;
    }
    List<Event> events = new ArrayList<>();
    Look look = database.read(tx -> table.look(tx, before.settled(), LOOK_MAX, events));
    Horizon after = before.advance(look);
    become(after, true, events);
    if (events.size() == LOOK_MAX) {
      return Duration.ZERO;
    }
    return after.waitsForHole() ? HOLE_RECHECK : SAFETY;
  }

  private boolean started() {
    lock.lock();
    try {
      return started;
    } finally {
      lock.unlock();
    }
  }

  private Horizon horizonNow() {
    lock.lock();
    try {
      return horizon;
    } finally {
      lock.unlock();
    }
  }

  private void become(Horizon next, boolean begun, List<Event> seen) {
    lock.lock();
    try {
      if (begun && !started) {
        started = true;
        recentAfter = next.settled();
      }
      horizon = next;
      seen.stream().filter(event -> event.seq() <= next.settled()).forEach(recent::addLast);
      while (recent.size() > RECENT_MAX) {
        recentAfter = recent.removeFirst().seq();
      }
      grown.signalAll();
    } finally {
      lock.unlock();
    }
    settledSignal.emit(next.settled());
  }

  private void announce() {
    lock.lock();
    try {
      if (!announcePending) {
        return;
      }
      announcePending = false;
    } finally {
      lock.unlock();
    }
    boolean _ =
        database.read(
            tx ->
                tx.sql("select pg_notify(?, ?) is null as sent")
                    .with(CHANNEL, node)
                    .one(row -> row.booleanAt("sent")));
  }
}
