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
    until(what, AT_MOST, condition);
  }

  /** The same where the test itself shows what it waits for. */
  public static void until(Duration atMost, BooleanSupplier condition) {
    until(atMost.toSeconds() + " s", atMost, condition);
  }

  /** The same with a bound of its own. */
  public static void until(String what, Duration atMost, BooleanSupplier condition) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited in vain for " + what);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
