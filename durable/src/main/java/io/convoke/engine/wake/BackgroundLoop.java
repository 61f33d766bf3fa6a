package io.convoke.engine.wake;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that calls its body again and again until it is closed. A body that throws is logged,
 * counted, and called again after a pause of at most a second.
 */
public final class BackgroundLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);
  private static final long PAUSE_MAX_MS = 1000;

  private final String name;
  private final LoopBody loopBody;
  private final Waiter waiter = new Waiter();
  private final AtomicLong restarts = new AtomicLong();
  private final Thread thread;

  /** One call of the body; it may block, and an interrupt asks it to return. */
  public interface LoopBody {
    void turn() throws Exception;
  }

  private BackgroundLoop(String name, LoopBody loopBody) {
    this.name = name;
    this.loopBody = loopBody;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  public static BackgroundLoop start(String name, LoopBody loopBody) {
    BackgroundLoop loop = new BackgroundLoop(name, loopBody);
    loop.thread.start();
    return loop;
  }

  public boolean alive() {
    return thread.isAlive();
  }

  /** How often the body threw. */
  public long restarts() {
    return restarts.get();
  }

  /** Ends the loop after the current call, which it interrupts; does not wait for it. */
  public void stop() {
    waiter.close();
    thread.interrupt();
  }

  /** Stops the loop and waits up to five seconds for its end, unless its own thread calls. */
  @Override
  public void close() {
    stop();
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

  /** Logs and pauses; if even that fails for lack of memory, the body is called again at once. */
  private void failed(Throwable failure, int failures) {
    if (waiter.closed()) {
      return;
    }
    long _ = restarts.incrementAndGet();
    try {
      log.error("{} failed; continuing", name, failure);
      long most = Math.min(PAUSE_MAX_MS, 10L << Math.min(failures, 10));
      boolean _ =
          waiter.await(Duration.ofMillis(ThreadLocalRandom.current().nextLong(1, most + 1)));
    } catch (Throwable again) {
      Thread.onSpinWait();
    }
  }
}
