package io.convoke.engine.journal;

import java.util.List;
import java.util.Set;

/**
 * One look at the table: how far the journal is settled after it.
 *
 * <p>The order of the questions is the proof. Which of the awaited writers have ended is asked
 * before the events, so that what they committed is among the events; who is at work beyond a new
 * hole is asked after the events, so that whoever drew a sequence below one of them is found.
 *
 * @param events the settled events that the look adds, in order
 * @param all false if there may be more events than one look takes
 */
record Look(Horizon horizon, List<Event> events, boolean all) {

  /** The table as a look sees it; each call sees what was committed before it. */
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
