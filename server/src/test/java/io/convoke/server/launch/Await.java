package io.convoke.server.launch;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls for conditions without a signal. */
public final class Await {
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(10);

  private Await() {}

  /** Polls until the condition holds. */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited in vain for " + what);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
