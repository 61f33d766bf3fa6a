package io.convoke.engine.journal;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The sequence up to which the journal is settled: no event at or below it can still appear.
 *
 * <p>Sequences are drawn before their transaction commits, so a reader may see 7 while 6 is still
 * being written, and 6 may never come. A gap is settled once it is filled, or once every
 * transaction that was open after the gap was seen has ended: the transaction that drew 6 drew it
 * before 7 was visible, so it was among those or had ended before.
 *
 * <p>Writers are identified by virtual transaction, not by transaction id: a snapshot does not
 * cover ids at or above its xmax, and one long transaction anywhere in the cluster would hold back
 * every hole.
 *
 * @param settled the last settled sequence
 * @param holeUpTo the greatest sequence that was seen beyond a hole, 0 without one
 * @param writers the transactions that may still fill the hole
 */
record JournalHorizon(long settled, long holeUpTo, Set<String> writers) {

  static JournalHorizon at(long settled) {
    return new JournalHorizon(settled, 0, Set.of());
  }

  boolean waitsForHole() {
    return holeUpTo > 0;
  }

  /** The same horizon with the transactions that were open after the gap was seen. */
  JournalHorizon awaiting(Set<String> writersNow) {
    return waitsForHole() ? new JournalHorizon(settled, holeUpTo, Set.copyOf(writersNow)) : this;
  }

  /** The same horizon without the writers that have ended since. */
  JournalHorizon without(Set<String> writersNow) {
    Set<String> left = new HashSet<>(writers);
    left.retainAll(writersNow);
    return new JournalHorizon(settled, holeUpTo, Set.copyOf(left));
  }

  /**
   * Advances as far as a scan proves. A gap that is new in the result has no writers yet: the next
   * query reads them.
   *
   * @param seqs the sequences after {@link #settled}, ascending, from a snapshot taken after {@link
   *     #writers} was last brought up to date
   * @param all false if there may be more than these
   */
  JournalHorizon advance(List<Long> seqs, boolean all) {
    long seen = seqs.isEmpty() ? settled : seqs.getLast();
    boolean over = waitsForHole() && writers.isEmpty();
    long reached = over ? Math.max(settled, all ? holeUpTo : Math.min(holeUpTo, seen)) : settled;
    for (long seq : seqs) {
      if (seq > reached + 1) {
        break;
      }
      reached = Math.max(reached, seq);
    }
    if (waitsForHole() && reached < holeUpTo) {
      return new JournalHorizon(reached, holeUpTo, writers);
    }
    return seen > reached ? new JournalHorizon(reached, seen, Set.of()) : at(reached);
  }

  /** Whether the scan found a new gap. */
  boolean newHole(JournalHorizon before) {
    return waitsForHole() && holeUpTo != before.holeUpTo;
  }
}
