package io.convoke.server.events;

import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import java.time.Instant;
import java.util.List;

/**
 * Which part of the journal is from before an instant. Sequences and times rise together but for
 * writers that are at work side by side, so a search by halves finds the place in some twenty reads
 * of one row by the primary key; an index over the time of each event would cost every writer.
 * Events that were written within the same moment may be on either side.
 */
final class Moments {
  private final Journal journal;

  Moments(Journal journal) {
    this.journal = journal;
  }

  /** The last sequence whose event is from before the instant; 0 if none is. */
  long lastBefore(Instant at) {
    long low = 0;
    long high = journal.settled();
    while (low < high) {
      long middle = low + (high - low) / 2;
      List<Event> next = journal.read(EventFilter.ALL, middle, 1);
      if (!next.isEmpty() && next.getFirst().at().isBefore(at)) {
        low = next.getFirst().seq();
      } else {
        high = middle;
      }
    }
    return low;
  }
}
