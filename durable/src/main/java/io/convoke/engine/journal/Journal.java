package io.convoke.engine.journal;

import io.convoke.engine.journal.SettledEventBuffer.EventRange;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The journal of one store, over the table that {@code journal.sql} beside this class documents.
 * Appending happens in the caller's transaction; one thread follows the table and passes settled
 * events to all subscriptions, which read the table themselves only while they catch up.
 *
 * <p>Wake-ups: a local commit wakes the thread directly; other processes get one coalesced NOTIFY
 * in a transaction of its own, because a NOTIFY inside the writer's transaction would serialise all
 * commits of the database behind one lock. If a wake-up is lost, the thread scans the table within
 * a minute.
 */
public final class Journal implements AutoCloseable {
  /** The channel that announces new events; the payload is the process that wrote them. */
  public static final String CHANNEL = "convoke_events";

  /** The most events that one read returns. */
  public static final int READ_MAX = 500;

  private static final Duration START_MAX = Duration.ofSeconds(5);
  private static final Duration CATCH_UP_MAX = Duration.ofSeconds(1);

  private final Database database;
  private final JournalTable table = new JournalTable();
  private final String node = UUID.randomUUID().toString();
  private final SettledEventBuffer settledEventBuffer = new SettledEventBuffer();
  private final TestSignal<Long> settledSignal = new TestSignal<>();
  private final JournalPoller journalPoller;

  public Journal(Database database) {
    this.database = database;
    this.journalPoller =
        new JournalPoller(database, table, settledEventBuffer, node, settledSignal);
    journalPoller.start();
  }

  /** Writes events in the caller's transaction, in their order, and wakes readers if it commits. */
  public void append(Tx tx, List<NewJournalEvent> events) {
    tx.run(entries(tx, events));
  }

  /** The statements that {@link #append} runs, for a caller that adds them to {@link Tx#run}. */
  public List<Query> entries(Tx tx, List<NewJournalEvent> events) {
    if (events.isEmpty()) {
      return List.of();
    }
    tx.afterCommitOrDoubt(journalPoller::appended);
    return List.of(table.insert(tx, events));
  }

  /**
   * Settled events after a sequence, oldest first, at most {@code limit} and {@link #READ_MAX}.
   * They include the events that this process committed before the call, unless an open transaction
   * with a lower sequence holds them back.
   *
   * @throws StoreUnavailable when the database is unavailable
   */
  public List<JournalEvent> read(EventFilter filter, long after, int limit) {
    long settled = settled();
    return database.read(tx -> table.read(tx, filter, after, settled, Math.min(limit, READ_MAX)));
  }

  /** Settled events before a sequence, newest first; otherwise like {@link #read}. */
  public List<JournalEvent> readBefore(EventFilter filter, long before, int limit) {
    long end = Math.min(before, settled() + 1);
    return database.read(tx -> table.readBefore(tx, filter, end, Math.min(limit, READ_MAX)));
  }

  /**
   * The last settled sequence whose event is from before an instant; 0 if none is. Sequences and
   * times rise together but for writers that are at work side by side, so a search by halves finds
   * the place in some twenty reads of one row by the primary key; an index over the time of each
   * event would cost every writer. Events of the same moment may be on either side.
   */
  public long lastBefore(Instant at) {
    long settled = settled();
    return database.read(
        tx -> {
          long low = 0;
          long high = settled;
          while (low < high) {
            long middle = low + (high - low) / 2;
            List<JournalEvent> next = table.read(tx, EventFilter.ALL, middle, settled, 1);
            if (!next.isEmpty() && next.getFirst().at().isBefore(at)) {
              low = next.getFirst().seq();
            } else {
              high = middle;
            }
          }
          return low;
        });
  }

  /** Follows the journal from after a sequence on. */
  public JournalSubscription tail(long after, EventFilter filter) {
    return new JournalSubscription(this, after, filter);
  }

  /**
   * The last settled sequence; a tail from here sees only what comes now.
   *
   * @throws StoreUnavailable when this process could not begin to follow the journal yet, because
   *     the database is out of reach or a writer has been at work since before the start
   */
  public long settled() {
    try {
      boolean _ = journalPoller.catchUp(CATCH_UP_MAX);
      return settledEventBuffer
          .awaitAfter(-1, System.nanoTime() + START_MAX.toNanos(), () -> false)
          .orElseThrow(() -> new StoreUnavailable("the journal cannot be followed yet"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailable("interrupted while waiting for the journal");
    }
  }

  /** The callback for notifications; register it for {@link #CHANNEL}. */
  public PostgresListener.NotificationReceiver receiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        if (!payload.equals(node)) {
          journalPoller.wake();
        }
      }

      @Override
      public void rescan() {
        journalPoller.wake();
      }
    };
  }

  /** Each new settled sequence. */
  public TestSignal<Long> settledSignal() {
    return settledSignal;
  }

  @Override
  public void close() {
    journalPoller.close();
    settledEventBuffer.close();
  }

  SettledEventBuffer window() {
    return settledEventBuffer;
  }

  /** The next stretch after a sequence, from memory if it is recent. */
  EventRange piece(long after, EventFilter filter, long settled) {
    return settledEventBuffer
        .after(after, filter, READ_MAX)
        .orElseGet(
            () -> {
              List<JournalEvent> events =
                  database.read(tx -> table.read(tx, filter, after, settled, READ_MAX));
              return new EventRange(
                  events, events.size() == READ_MAX ? events.getLast().seq() : settled);
            });
  }
}
