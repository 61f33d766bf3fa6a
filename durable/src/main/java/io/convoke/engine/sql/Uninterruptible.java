package io.convoke.engine.sql;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Runs work for many callers so that an interrupt of one caller cannot end it. An interrupt closes
 * the socket of a virtual thread that waits for Postgres; the outcome of a group commit, or of a
 * claim, would then be unknown. So the work runs on a private thread, and the caller's interrupt is
 * restored afterwards. An interrupt does not close the socket of a platform thread, which runs the
 * work itself.
 */
public final class Uninterruptible {
  private Uninterruptible() {}

  /** Returns the result of the work; an interrupt in the meantime is set afterwards. */
  public static <T> T call(Supplier<T> work) {
    if (!Thread.currentThread().isVirtual()) {
      return afterwards(work);
    }
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread _ = Thread.ofVirtual().start(task);
    return afterwards(() -> join(task));
  }

  private static <T> T afterwards(Supplier<T> work) {
    boolean interrupted = Thread.interrupted();
    try {
      return work.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static <T> T join(FutureTask<T> task) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException(e);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
