package io.convoke.engine.durable.runtime;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs on its own virtual thread, but only while its caller waits for it: one of the two
 * runs at a time, so they share data without locks.
 */
final class Coroutine {
  private final Runnable body;
  private final Semaphore go = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private boolean begun;
  private volatile @Nullable Throwable failure;
  private volatile boolean ended;
  private volatile boolean abandoned;

  /** Thrown out of {@link #park} when the coroutine is abandoned. */
  static final class CoroutineAbandoned extends Error {
    private static final long serialVersionUID = 1;

    CoroutineAbandoned() {
      super("the replay was abandoned", null, false, false);
    }
  }

  Coroutine(Runnable body) {
    this.body = body;
  }

  /**
   * Resumes the body until it parks or ends.
   *
   * @return false if it did neither within {@code atMost}, because it blocks elsewhere
   * @throws IllegalStateException if the body has ended by throwing anything
   */
  boolean resume(Duration atMost) throws InterruptedException {
    if (ended) {
      return true;
    }
    if (begun) {
      go.release();
    } else {
      begun = true;
      Thread _ = Thread.ofVirtual().name("workflow").start(this::run);
    }
    boolean control = back.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException("the thread of a workflow ended", thrown);
    }
    return control;
  }

  /** Called by the body: returns control to the caller until the next {@link #resume}. */
  void park() {
    back.release();
    go.acquireUninterruptibly();
    if (abandoned) {
      throw new CoroutineAbandoned();
    }
  }

  boolean ended() {
    return ended;
  }

  /** Ends the body where it is parked. */
  void abandon() {
    abandoned = true;
    if (begun && !ended) {
      go.release();
    }
  }

  private void run() {
    try {
      body.run();
    } catch (CoroutineAbandoned givenUp) {
      return;
    } catch (Throwable e) {
      failure = e;
    } finally {
      ended = true;
      back.release();
    }
  }
}
