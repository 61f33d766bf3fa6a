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

  /** The thread of the body, from its first line on. */
  private volatile @Nullable Thread thread;

  /** The thread of the body while it runs a step, which may take as long as it likes. */
  private volatile @Nullable Thread stepping;

  /** When the body was resumed, or last began or ended a step, on the monotonic clock. */
  private volatile long progress;

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

  /** Is called now and then while the body runs. */
  interface ResumeWatch {
    /** How long to wait until the next call. */
    Duration pause();

    /**
     * The body still runs.
     *
     * @param stepping whether it is in a step
     */
    void stillRunning(boolean stepping);
  }

  /**
   * Resumes the body until it parks or ends.
   *
   * @param atMost how long it may run between steps
   * @return false if it ran longer, because it blocks elsewhere
   * @throws IllegalStateException if the body has ended by throwing anything
   */
  boolean resume(Duration atMost, ResumeWatch resumeWatch) throws InterruptedException {
    if (ended) {
      return true;
    }
    progress = System.nanoTime();
    if (begun) {
      go.release();
    } else {
      begun = true;
      Thread _ = Thread.ofVirtual().name("workflow").start(this::run);
    }
    boolean control = back.tryAcquire(resumeWatch.pause().toNanos(), TimeUnit.NANOSECONDS);
    while (!control) {
      boolean inStep = stepping != null;
      if (!inStep && System.nanoTime() - progress >= atMost.toNanos()) {
        return false;
      }
      resumeWatch.stillRunning(inStep);
      control = back.tryAcquire(resumeWatch.pause().toNanos(), TimeUnit.NANOSECONDS);
    }
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

  /**
   * Called by the body: runs a step, which is interrupted when the coroutine is abandoned.
   *
   * @param step throws nothing
   */
  void step(Runnable step) {
    stepping = Thread.currentThread();
    try {
      if (!abandoned) {
        step.run();
      }
    } finally {
      progress = System.nanoTime();
      stepping = null;
      boolean _ = Thread.interrupted();
    }
    if (abandoned) {
      throw new CoroutineAbandoned();
    }
  }

  /** Whether the calling code is a step of the body. */
  boolean isStepping() {
    return Thread.currentThread().equals(stepping);
  }

  /** Whether the calling code is the body, and not a thread that the body has started. */
  boolean isBody() {
    return Thread.currentThread().equals(thread);
  }

  boolean ended() {
    return ended;
  }

  /** Ends the body where it is parked, and interrupts its step. */
  void abandon() {
    abandoned = true;
    Thread inStep = stepping;
    if (inStep != null) {
      inStep.interrupt();
    }
    if (begun && !ended) {
      go.release();
    }
  }

  private void run() {
    thread = Thread.currentThread();
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
