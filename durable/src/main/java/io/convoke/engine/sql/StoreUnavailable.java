package io.convoke.engine.sql;

/**
 * Postgres cannot serve now: out of reach, restarting, read-only, its disk full, or the pool stayed
 * empty for its whole bound.
 */
public final class StoreUnavailable extends RuntimeException {
  StoreUnavailable(Throwable cause) {
    super("the database is out of reach", cause);
  }

  /** For what stands on the database and cannot serve without it. */
  public StoreUnavailable(String message) {
    super(message);
  }
}
