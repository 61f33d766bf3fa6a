package io.convoke.engine.journal;

import java.util.List;

/**
 * The sequence up to which the journal is settled: no event at or below it can still appear.
 *
 * <p>Sequences are drawn before their transaction commits, so a reader may see 7 while 6 is still
 * being written, and 6 may never come. A hole is settled once it is filled, or once every
 * transaction that was running when the hole was first seen has ended: writers have their
 * transaction id before they draw a sequence, so the one that drew 6 is among them.
 *
 * @param settled the last settled sequence
 * @param holeUpTo the greatest sequence seen beyond a hole, 0 without one
 * @param holeXmax the first transaction id that began after the hole was seen
 */
record Horizon(long settled, long holeUpTo, long holeXmax) {
  /** What one look at the table showed, all from one snapshot. */
  record Look(List<Long> seqsAfterSettled, long xmin, long xmax) {
    /** Nothing new, which proves nothing about writers. */
    static final Look NOTHING = new Look(List.of(), 0, 1);

    private long last(long otherwise) {
      return seqsAfterSettled.isEmpty() ? otherwise : seqsAfterSettled.getLast();
    }
  }

  /** The first horizon of a process, once no writer from before it looked runs any more. */
  Horizon begun() {
    return new Horizon(holeUpTo, 0, 0);
  }

  boolean waitsForHole() {
    return holeUpTo > 0;
  }

  /** Moves as far as the look proves; {@code look} holds the sequences after {@link #settled}. */
  Horizon advance(Look look) {
    if (look.xmin >= look.xmax) {
      return new Horizon(look.last(settled), 0, 0);
    }
    long base = waitsForHole() && look.xmin >= holeXmax ? holeUpTo : settled;
    long reached = base;
    for (long seq : look.seqsAfterSettled) {
      if (seq == reached + 1) {
        reached = seq;
      } else if (seq > reached) {
        break;
      }
    }
    long last = look.last(reached);
    if (last <= reached) {
      return new Horizon(reached, 0, 0);
    }
    boolean sameHole = waitsForHole() && reached < holeUpTo;
    return new Horizon(reached, sameHole ? holeUpTo : last, sameHole ? holeXmax : look.xmax);
  }
}
