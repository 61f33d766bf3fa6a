package io.convoke.server.reseal;

import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.util.List;
import java.util.Optional;

/** Rows of one table that may hold sealed values, in the order of their key. */
interface SealedRows {
  /** How many rows a statement reads at most to find those to reseal: there may be few in many. */
  int READ_MAX = 5000;

  /** What the values are, in the plural. */
  String label();

  /**
   * Reseals the next rows after a key; without a key the first ones. Rows that changed meanwhile
   * are left to their writer, which seals with the newest key.
   *
   * @param limit values at most
   */
  ResealedBatch reseal(Tx tx, Optional<List<String>> after, int limit);

  /** Runs updates that return a row for each change, in one round trip; returns the changes. */
  static int changed(Tx tx, List<Query> updates) {
    return updates.isEmpty()
        ? 0
        : tx.queryTogether(
            updates,
            results -> updates.stream().mapToInt(_ -> results.list(row -> true).size()).sum());
  }

  /**
   * What came of some rows.
   *
   * @param unreadable values that no configured key opens; they stay
   * @param last the key to go on after; empty at the end
   */
  record ResealedBatch(int resealed, int unreadable, Optional<List<String>> last) {}
}
