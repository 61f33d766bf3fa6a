package io.convoke.server.sync;

import io.convoke.engine.sql.Tx;

/** Who begins the work again when a sync is tried again. */
@FunctionalInterface
public interface RetryHook {
  /**
   * Called in the transaction that opens the next attempt, so what is ordered here happens if and
   * only if the attempt is opened. It must not call out.
   */
  void retried(Tx tx, SyncRecord record);
}
