package io.convoke.engine.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection for the length of one piece of work; a transaction unless it was opened to read.
 */
public final class Tx {
  private final Connection connection;

  /** Where actions for after the commit go; null when each statement commits by itself. */
  private final @Nullable List<Runnable> afterCommit;

  /** Actions for a commit whose outcome is unknown. */
  private final List<Runnable> doubts = new ArrayList<>();

  /** Whether a commit was sent: whatever happens then, this work must not be run again. */
  private boolean decided;

  Tx(Connection connection, List<Runnable> afterCommit) {
    this.connection = connection;
    this.afterCommit = afterCommit;
  }

  Tx(Connection connection) {
    this.connection = connection;
    this.afterCommit = null;
  }

  public Query sql(String sql) {
    if (decided) {
      throw new IllegalStateException("this transaction is committed: " + sql);
    }
    return new Query(connection, sql);
  }

  /**
   * Runs statements that change rows, in their order, on one way to Postgres and back. Each sees
   * what those before it did; the first that fails ends them all.
   */
  public void run(List<Query> queries) {
    if (!queries.isEmpty()) {
      try (PreparedStatement statement = Query.together(connection, queries)) {
        boolean _ = statement.execute();
      } catch (SQLException e) {
        throw Database.failure(e);
      }
    }
  }

  /**
   * Runs the last statements of a transaction like {@link #run} and commits it on the same way,
   * which saves a whole turn under the locks that it holds.
   *
   * @throws IllegalStateException for single statements, which commit by themselves
   */
  public void commit(List<Query> queries) {
    if (afterCommit == null) {
      throw new IllegalStateException("single statements commit by themselves");
    }
    List<Query> all = new ArrayList<>(queries);
    all.add(sql("commit"));
    decided = true;
    run(all);
  }

  /**
   * Runs the last statements of a transaction, commits it, and then asks what can be known only
   * after the commit, all on one way to Postgres and back.
   *
   * @param last those that answer rows are read first
   * @param afterwards answers rows, a transaction of its own
   * @param reading reads the rows of all of them, in this order
   */
  public <T> T commit(List<Query> last, Query afterwards, Function<BatchResults, T> reading) {
    if (afterCommit == null) {
      throw new IllegalStateException("single statements commit by themselves");
    }
    List<Query> all = new ArrayList<>(last);
    all.add(sql("commit"));
    all.add(afterwards);
    decided = true;
    return queryTogether(all, reading);
  }

  void decide() {
    decided = true;
  }

  boolean decided() {
    return decided;
  }

  /** Runs the actions for a transaction that was not committed, or whose outcome is unknown. */
  List<Runnable> doubts() {
    return decided ? doubts : List.of();
  }

  /** Runs statements that all answer rows, like {@link #run}, and answers what was read of them. */
  public <T> T queryTogether(List<Query> queries, Function<BatchResults, T> reading) {
    try (PreparedStatement statement = Query.together(connection, queries)) {
      return reading.apply(new BatchResults(statement, statement.execute()));
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  /**
   * Runs after the commit, in the committing thread, and never after a rollback. What it throws is
   * logged: the commit has happened and its caller is told so.
   */
  public void afterCommit(Runnable action) {
    if (afterCommit == null) {
      throw new IllegalStateException("single statements have no commit to wait for");
    }
    afterCommit.add(action);
  }

  /**
   * Runs after the commit like {@link #afterCommit}, and also when it was sent and its answer got
   * lost: for those who look for themselves what has happened.
   */
  public void afterCommitOrDoubt(Runnable action) {
    afterCommit(action);
    doubts.add(action);
  }
}
