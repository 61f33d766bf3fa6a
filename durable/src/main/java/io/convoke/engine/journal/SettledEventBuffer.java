package io.convoke.engine.journal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The settled position of the journal and the newest settled events in memory; readers wait here
 * for more. One thread appends, many read. Events that settled more than a minute ago are read from
 * the table, where their words may have been deleted since.
 */
final class SettledEventBuffer {
  private static final int EVENTS_MAX = 4096;
  private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Every settled event after {@link #begin}. */
  private final ArrayDeque<BufferedEvent> events = new ArrayDeque<>();

  private long begin;
  private long settled = -1;
  private boolean closed;

  /** A range of the journal, with its events that match the filter. */
  record EventRange(List<JournalEvent> events, long readUpTo) {}

  private record BufferedEvent(JournalEvent event, long sinceNanos) {}

  SettledEventBuffer() {
    this(System::nanoTime);
  }

  /** The same by another clock. */
  SettledEventBuffer(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Advances to {@code upTo}; {@code settledNow} are all events since the last position. */
  void grow(long upTo, List<JournalEvent> settledNow) {
    lock.lock();
    try {
      if (settled < 0) {
        begin = upTo;
      } else {
        long now = nanoTime.getAsLong();
        settledNow.forEach(event -> events.addLast(new BufferedEvent(event, now)));
      }
      settled = upTo;
      while (events.size() > EVENTS_MAX) {
        begin = events.removeFirst().event.seq();
      }
      changed.signalAll();
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
  }

  /** Wakes readers so that they check for shutdown. */
  void wakeReaders() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a settled sequence after {@code after} and returns the last; empty on timeout. */
  Optional<Long> awaitAfter(long after, long deadlineNanos, BooleanSupplier stopped)
      throws InterruptedException {
    lock.lock();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (settled <= after && left > 0 && !closed && !stopped.getAsBoolean()) {
        left = changed.awaitNanos(left);
      }
      return settled > after ? Optional.of(settled) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** The events after a sequence, if the buffer reaches back that far. */
  Optional<EventRange> after(long after, EventFilter filter, int max) {
    lock.lock();
    try {
      forgetOld();
      if (after < begin || settled < 0) {
        return Optional.empty();
      }
      List<JournalEvent> found = new ArrayList<>();
      Iterator<BufferedEvent> newestFirst = events.descendingIterator();
      for (JournalEvent journalEvent = next(newestFirst, after);
          journalEvent != null;
          journalEvent = next(newestFirst, after)) {
        if (filter.fits(journalEvent)) {
          found.add(journalEvent);
        }
      }
      Collections.reverse(found);
      return Optional.of(
          found.size() <= max
              ? new EventRange(List.copyOf(found), settled)
              : new EventRange(List.copyOf(found.subList(0, max)), found.get(max - 1).seq()));
    } finally {
      lock.unlock();
    }
  }

  /** What is deleted from the table is not read from here for long. */
  private void forgetOld() {
    long now = nanoTime.getAsLong();
    for (BufferedEvent oldest = events.peekFirst();
        oldest != null && now - oldest.sinceNanos >= KEPT_NANOS;
        oldest = events.peekFirst()) {
      begin = events.removeFirst().event.seq();
    }
  }

  private static @org.jspecify.annotations.Nullable JournalEvent next(
      Iterator<BufferedEvent> events, long after) {
    if (!events.hasNext()) {
      return null;
    }
    JournalEvent journalEvent = events.next().event;
    return journalEvent.seq() > after ? journalEvent : null;
  }
}
