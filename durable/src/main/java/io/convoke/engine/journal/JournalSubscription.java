package io.convoke.engine.journal;

import io.convoke.engine.journal.SettledEventBuffer.EventRange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A reader that follows the journal from a sequence on, one at a time, without gaps. */
public final class JournalSubscription implements AutoCloseable {
  private final Journal journal;
  private final EventFilter filter;
  private long after;
  private volatile boolean closed;

  JournalSubscription(Journal journal, long after, EventFilter filter) {
    this.journal = journal;
    this.after = after;
    this.filter = filter;
  }

  /**
   * The next events, at most {@value Journal#READ_MAX}; empty if none arrived within {@code
   * atMost}, after {@link #close()}, or when the journal closed.
   *
   * @throws io.convoke.engine.sql.StoreUnavailable when it could not read the table; the position
   *     is kept, so the caller can retry
   */
  public List<JournalEvent> next(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      Optional<Long> settled = journal.window().awaitAfter(after, deadline, () -> closed);
      if (settled.isEmpty() || closed || journal.window().closed()) {
        return List.of();
      }
      EventRange eventRange = journal.piece(after, filter, settled.get());
      after = eventRange.readUpTo();
      if (!eventRange.events().isEmpty() || System.nanoTime() - deadline >= 0) {
        return eventRange.events();
      }
    }
  }

  /** The sequence up to which this reader has received all events. */
  public long position() {
    return after;
  }

  @Override
  public void close() {
    closed = true;
    journal.window().wakeReaders();
  }
}
