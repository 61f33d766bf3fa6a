package io.convoke.engine.sql;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

/**
 * One connection for the length of one piece of work; a transaction unless it was opened to read.
 */
public final class Tx {
  private final Connection connection;
  private final List<Runnable> afterCommit = new ArrayList<>();

  Tx(Connection connection) {
    this.connection = connection;
  }

  public Query sql(String sql) {
    return new Query(connection, sql);
  }

  /** Runs after the commit, in the committing thread, and never after a rollback. */
  public void afterCommit(Runnable action) {
    afterCommit.add(action);
  }

  void committed() {
    afterCommit.forEach(Runnable::run);
  }
}
