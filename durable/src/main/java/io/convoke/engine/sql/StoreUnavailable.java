package io.convoke.engine.sql;

/**
 * Postgres is unavailable: unreachable, restarting, read-only, its disk full, or the pool had no
 * free connection within its bound.
 */
public final class StoreUnavailable extends RuntimeException {
  StoreUnavailable(Throwable cause) {
    super("the database is out of reach", cause);
  }

  StoreUnavailable(String message, SqlFailure cause) {
    super(message, cause);
  }

  /** For a component that needs the database and is unavailable without it. */
  public StoreUnavailable(String message) {
    super(message);
  }
}
