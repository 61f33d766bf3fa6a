package io.convoke.engine.wake;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background task that does not end before it is closed. Its body is called again and again; a
 * body that throws is logged, counted, and called again after a pause of at most a second.
 */
public final class BackgroundLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);
  private static final long PAUSE_MAX_MS = 1000;

  private final String name;
  private final LoopBody loopBody;
  private final Waiter waiter = new Waiter();
  private final AtomicLong restarts = new AtomicLong();
  private final Thread thread;

  /** One turn of the task; it may block, and an interrupt asks it to end. */
  public interface LoopBody {
    void turn() throws Exception;
  }

  private BackgroundLoop(String name, LoopBody loopBody) {
    this.name = name;
    this.loopBody = loopBody;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  public static BackgroundLoop start(String name, LoopBody loopBody) {
    BackgroundLoop task = new BackgroundLoop(name, loopBody);
    task.thread.start();
    return task;
  }

  public boolean alive() {
    return thread.isAlive();
  }

  /** How often the body threw. */
  public long restarts() {
    return restarts.get();
  }

  /** Asks the task to end and waits until it did, unless the task itself is asking. */
  @Override
  public void close() {
    waiter.close();
    thread.interrupt();
    if (!Thread.currentThread().equals(thread)) {
      try {
        boolean _ = thread.join(Duration.ofSeconds(5));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void run() {
    int failures = 0;
    while (!waiter.closed()) {
      try {
        loopBody.turn();
        failures = 0;
      } catch (InterruptedException e) {
        log.debug("{} was interrupted", name);
      } catch (Throwable e) {
        failures++;
        failed(e, failures);
      }
    }
  }

  /** Reports and pauses; where there is no memory even for that, the next turn begins at once. */
  private void failed(Throwable failure, int failures) {
    if (waiter.closed()) {
      return;
    }
    long _ = restarts.incrementAndGet();
    try {
      log.error("{} failed and goes on", name, failure);
      long most = Math.min(PAUSE_MAX_MS, 10L << Math.min(failures, 10));
      boolean _ =
          waiter.await(Duration.ofMillis(ThreadLocalRandom.current().nextLong(1, most + 1)));
    } catch (Throwable again) {
      Thread.onSpinWait();
    }
  }
}
