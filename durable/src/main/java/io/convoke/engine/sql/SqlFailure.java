package io.convoke.engine.sql;

import java.sql.SQLException;

/** The database rejected a statement; {@link #sqlState()} is Postgres' five-character code. */
public final class SqlFailure extends RuntimeException {
  /** Unique violation, the one error that callers handle. */
  public static final String UNIQUE_VIOLATION = "23505";

  private final String sqlState;

  SqlFailure(SQLException cause) {
    super(cause.getMessage(), cause);
    String state = cause.getSQLState();
    this.sqlState = state == null ? "" : state;
  }

  public String sqlState() {
    return sqlState;
  }

  public boolean is(String state) {
    return sqlState.equals(state);
  }
}
