package io.convoke.server.http;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts a thread whose write does not end in time. Interrupting a virtual thread that is
 * blocked in socket I/O closes its socket, so the one slow client is cut and nobody else notices.
 */
final class SlowClientWatch implements AutoCloseable {

  /** A write under way; closing it means that the write ended. */
  interface Watching extends AutoCloseable {
    @Override
    void close();
  }

  private final ScheduledThreadPoolExecutor timer;

  SlowClientWatch() {
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("http-slow-clients").factory());
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  Watching watch(Thread thread, Duration atMost) {
    ScheduledFuture<?> cut =
        timer.schedule(thread::interrupt, atMost.toMillis(), TimeUnit.MILLISECONDS);
    return () -> cut.cancel(false);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
