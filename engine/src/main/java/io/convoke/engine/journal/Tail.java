package io.convoke.engine.journal;

import io.convoke.engine.journal.Window.Piece;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A reader that follows the journal from a sequence on, one at a time, without gaps. */
public final class Tail implements AutoCloseable {
  private final Journal journal;
  private final EventFilter filter;
  private long after;
  private volatile boolean closed;

  Tail(Journal journal, long after, EventFilter filter) {
    this.journal = journal;
    this.after = after;
    this.filter = filter;
  }

  /**
   * The next events, at most {@value Journal#READ_MAX}; empty when none came within {@code atMost},
   * after {@link #close()}, or when the journal closed.
   *
   * @throws io.convoke.engine.sql.StoreUnavailable when it had to read the table and could not; the
   *     place is kept, so the call can be made again
   */
  public List<Event> next(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      Optional<Long> settled = journal.window().awaitAfter(after, deadline, () -> closed);
      if (settled.isEmpty() || closed || journal.window().closed()) {
        return List.of();
      }
      Piece piece = journal.piece(after, filter, settled.get());
      after = piece.readUpTo();
      if (!piece.events().isEmpty() || System.nanoTime() - deadline >= 0) {
        return piece.events();
      }
    }
  }

  /** The sequence up to which this reader has seen everything. */
  public long position() {
    return after;
  }

  @Override
  public void close() {
    closed = true;
    journal.window().wakeReaders();
  }
}
