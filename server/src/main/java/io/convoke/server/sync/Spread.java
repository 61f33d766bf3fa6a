package io.convoke.server.sync;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for what cannot be told when it has happened: until every other node knows. */
final class Spread {
  private Spread() {}

  /** Lets this long pass, not a moment less, unless the caller is interrupted. */
  static void pass(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    long left = time.toNanos();
    while (left > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(left);
      left = until - System.nanoTime();
    }
  }
}
