package io.convoke.engine.sql;

import java.sql.SQLException;

/** A statement that the database refused; {@link #sqlState()} is Postgres' five-character code. */
public final class SqlFailure extends RuntimeException {
  /** Unique violation, the one refusal that callers decide on. */
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
