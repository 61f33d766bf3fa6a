package io.convoke.engine.journal;

import java.util.List;
import java.util.Set;

/**
 * One scan of the table: how far the journal is settled after it.
 *
 * <p>The order of the queries is the proof. The query for ended writers runs before the one for
 * events, so their commits are among the events; the query for open transactions runs after it, so
 * it includes every transaction that drew a lower sequence.
 *
 * @param events the events that the scan settles, in order
 * @param all false if there may be more events than one scan reads
 */
record HorizonScan(JournalHorizon horizon, List<JournalEvent> events, boolean all) {

  /** The queries of a scan; each call sees all earlier commits. */
  interface JournalView {
    /** All visible events after a sequence, in order, at most {@code limit}. */
    List<JournalEvent> after(long seq, int limit);

    /** The transactions that began to insert and have not ended. */
    Set<String> writers();
  }

  static HorizonScan from(JournalHorizon journalHorizon, JournalView journalView, int limit) {
    JournalHorizon before =
        journalHorizon.writers().isEmpty()
            ? journalHorizon
            : journalHorizon.without(journalView.writers());
    List<JournalEvent> seen = journalView.after(before.settled(), limit);
    boolean all = seen.size() < limit;
    JournalHorizon next = before.advance(seen.stream().map(JournalEvent::seq).toList(), all);
    JournalHorizon after = next.newHole(before) ? next.awaiting(journalView.writers()) : next;
    return new HorizonScan(
        after,
        seen.stream().filter(journalEvent -> journalEvent.seq() <= after.settled()).toList(),
        all);
  }
}
