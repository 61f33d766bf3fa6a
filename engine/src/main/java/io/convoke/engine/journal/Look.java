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
 * @param events the settled events that the look adds, in order
 * @param all false if there may be more events than one look takes
 */
record Look(Horizon horizon, List<Event> events, boolean all) {

  /** The queries of a scan; each call sees all earlier commits. */
  interface View {
    /** All visible events after a sequence, in order, at most {@code limit}. */
    List<Event> after(long seq, int limit);

    /** The transactions that began to insert and have not ended. */
    Set<String> writers();
  }

  static Look from(Horizon horizon, View view, int limit) {
    Horizon before = horizon.writers().isEmpty() ? horizon : horizon.without(view.writers());
    List<Event> seen = view.after(before.settled(), limit);
    boolean all = seen.size() < limit;
    Horizon next = before.advance(seen.stream().map(Event::seq).toList(), all);
    Horizon after = next.newHole(before) ? next.awaiting(view.writers()) : next;
    return new Look(
        after, seen.stream().filter(event -> event.seq() <= after.settled()).toList(), all);
  }
}
