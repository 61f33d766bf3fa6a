package io.convoke.engine.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The connection of one piece of work: a transaction, or single statements if it was opened to
 * read.
 */
public final class Tx {
  private final Connection connection;

  /** The actions to run after the commit; null when each statement commits by itself. */
  private final @Nullable List<Runnable> afterCommit;

  private final CommitHook commitHook;

  /** SQL without rows that gives a following transaction its settings, where sessions have none. */
  private final Optional<String> settings;

  /** The actions to run after a commit whose outcome is unknown. */
  private final List<Runnable> doubts = new ArrayList<>();

  /** Whether a commit was sent; from then on the work must not be retried. */
  private boolean decided;

  Tx(
      Connection connection,
      List<Runnable> afterCommit,
      CommitHook commitHook,
      Optional<String> settings) {
    this.connection = connection;
    this.afterCommit = afterCommit;
    this.commitHook = commitHook;
    this.settings = settings;
  }

  Tx(Connection connection) {
    this.connection = connection;
    this.afterCommit = null;
    this.commitHook = CommitHook.NONE;
    this.settings = Optional.empty();
  }

  public Query sql(String sql) {
    if (decided) {
      throw new IllegalStateException("this transaction is committed: " + sql);
    }
    return new Query(connection, sql);
  }

  /**
   * Runs statements that change rows, in their order, in one round trip. Each sees the changes of
   * those before it; the first that fails ends them all.
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
   * Runs the last statements of a transaction like {@link #run} and commits it in the same round
   * trip, so its locks are held for one round trip less.
   *
   * @throws IllegalStateException for single statements, which commit by themselves
   */
  public void commit(List<Query> queries) {
    if (afterCommit == null) {
      throw new IllegalStateException("single statements commit by themselves");
    }
    List<Query> all = new ArrayList<>(queries);
    all.addAll(commitHook.statements(this));
    all.add(sql("commit"));
    decided = true;
    run(all);
  }

  /**
   * Runs the last statements of a transaction, commits it, and then runs a query whose result is
   * known only after the commit, all in one round trip. The hook is not asked: its statements would
   * be among those whose rows are read.
   *
   * @param last the last statements; their rows are read first
   * @param afterwards a query, in a transaction of its own
   * @param reading reads the rows of all statements, in this order
   * @throws SqlFailure when Postgres rejected one of the last statements; nothing was changed
   * @throws StoreUnavailable also when the commit or the query after it failed: the outcome is
   *     unknown, and the work must not be repeated as if nothing had been changed
   */
  public <T> T commit(List<Query> last, Query afterwards, Function<BatchResults, T> reading) {
    if (afterCommit == null) {
      throw new IllegalStateException("single statements commit by themselves");
    }
    List<Query> all = new ArrayList<>(last);
    all.add(sql("commit"));
    // What follows a commit in one round trip is one transaction.
    settings.ifPresent(setting -> all.add(sql(setting)));
    all.add(afterwards);
    decided = true;
    try {
      return queryTogether(all, reading);
    } catch (SqlFailure e) {
      throw isRolledBack() ? e : new StoreUnavailable("the outcome of a commit is unknown", e);
    }
  }

  /**
   * Whether the failure left the transaction open, so that the commit was not executed; after the
   * commit there is no transaction.
   */
  private boolean isRolledBack() {
    try {
      return connection.unwrap(BaseConnection.class).getTransactionState()
          == TransactionState.FAILED;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Runs the statements of the hook, unless the work has committed by itself, and decides. */
  void decide() {
    if (!decided) {
      run(commitHook.statements(this));
    }
    decided = true;
  }

  boolean decided() {
    return decided;
  }

  /** Runs the actions of a transaction whose commit was sent and whose outcome is unknown. */
  List<Runnable> doubts() {
    return decided ? doubts : List.of();
  }

  /** Runs statements that all return rows, like {@link #run}, and returns what was read of them. */
  public <T> T queryTogether(List<Query> queries, Function<BatchResults, T> reading) {
    try (PreparedStatement statement = Query.together(connection, queries)) {
      return reading.apply(new BatchResults(statement, statement.execute()));
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  /**
   * Runs an action after the commit, in the committing thread, and never after a rollback. Its
   * exception is logged and not thrown, since the transaction is committed.
   */
  public void afterCommit(Runnable action) {
    if (afterCommit == null) {
      throw new IllegalStateException("single statements have no commit to wait for");
    }
    afterCommit.add(action);
  }

  /**
   * Runs an action after the commit like {@link #afterCommit}, and also if the commit was sent and
   * its response was lost, for actions that query the outcome themselves.
   */
  public void afterCommitOrDoubt(Runnable action) {
    afterCommit(action);
    doubts.add(action);
  }
}
