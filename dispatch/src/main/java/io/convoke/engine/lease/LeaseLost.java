package io.convoke.engine.lease;

import org.jspecify.annotations.Nullable;

/** The holder's lease was lost; guarded writes that it still makes are refused. */
public final class LeaseLost extends RuntimeException {
  LeaseLost(String key, @Nullable Throwable cause) {
    super("lost the lease on " + key, cause);
  }
}
