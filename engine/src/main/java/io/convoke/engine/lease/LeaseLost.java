package io.convoke.engine.lease;

import org.jspecify.annotations.Nullable;

/** The lease ended under its holder; what the holder did since counts for nothing. */
public final class LeaseLost extends RuntimeException {
  LeaseLost(String key, @Nullable Throwable cause) {
    super("lost the lease on " + key, cause);
  }
}
