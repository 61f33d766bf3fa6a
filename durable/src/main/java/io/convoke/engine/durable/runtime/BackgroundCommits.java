package io.convoke.engine.durable.runtime;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits the ends of jobs beside the workers, which run other jobs meanwhile. So a few workers
 * that have little to do fill the batches of a group commit. Beyond a number of commits in flight
 * the worker commits itself, and waits.
 */
final class BackgroundCommits implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BackgroundCommits.class);
  private static final int MOST = 1000;
  private static final Duration CLOSED_WITHIN = Duration.ofSeconds(10);

  private final Semaphore free = new Semaphore(MOST);

  void run(Runnable commit) {
    if (!free.tryAcquire()) {
      commit.run();
      return;
    }
    Thread _ =
        Thread.startVirtualThread(
            () -> {
              try {
                commit.run();
              } catch (RuntimeException | Error e) {
                log.warn("the end of a job is not committed, it runs again: {}", ErrorText.of(e));
              } finally {
                free.release();
              }
            });
  }

  /** Waits for the commits in flight; may be called again. */
  @Override
  public void close() {
    try {
      if (free.tryAcquire(MOST, CLOSED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
        free.release(MOST);
      } else {
        log.warn("some ends of jobs are not committed, they run again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
