package io.convoke.engine.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Adds statements to transactions that others run, such as the row of an audit journal, so that
 * both are committed or neither is. Asked once for each attempt, on the thread of the transaction,
 * after its work.
 */
@FunctionalInterface
public interface CommitHook {
  /** Adds nothing. */
  CommitHook NONE = _ -> List.of();

  /** The last statements of a transaction; rows that they return are not read. */
  List<Query> statements(Tx tx);

  /** Adds the statements of both, its own first. */
  default CommitHook and(CommitHook other) {
    return tx -> {
      List<Query> all = new ArrayList<>(statements(tx));
      all.addAll(other.statements(tx));
      return all;
    };
  }
}
