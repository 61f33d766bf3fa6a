package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls servers until they have found each other; they send no notification of it. */
final class ClusterReadiness {
  private static final Duration READY_MAX = Duration.ofSeconds(20);
  private static final Duration BETWEEN = Duration.ofMillis(20);

  private ClusterReadiness() {}

  static void await(String what, BooleanSupplier ready) {
    long deadline = System.nanoTime() + READY_MAX.toNanos();
    while (!ready.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new ChildProcessException(what + " not ready after " + READY_MAX.toSeconds() + " s");
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
  }
}
