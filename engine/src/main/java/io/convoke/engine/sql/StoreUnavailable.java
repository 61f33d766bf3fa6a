package io.convoke.engine.sql;

/** Postgres is out of reach: refused, restarting, or the pool stayed empty for its whole bound. */
public final class StoreUnavailable extends RuntimeException {
  StoreUnavailable(Throwable cause) {
    super("the database is out of reach", cause);
  }

  /** For what stands on the database and cannot serve without it. */
  public StoreUnavailable(String message) {
    super(message);
  }
}
