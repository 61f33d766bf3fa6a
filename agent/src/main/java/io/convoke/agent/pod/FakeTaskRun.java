package io.convoke.agent.pod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ObjectNode;

/** A task without a pod, for tests of a handler; the test sends the stop request. */
public final class FakeTaskRun {
  private static final Duration BEGIN_WITHIN = Duration.ofMinutes(1);

  private final TaskContext taskContext;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> listeners = new ArrayList<>();
  private boolean stopping;

  /**
   * Creates an attempt from the whole task: id, type, channel, attempt, worker_id, payload and so
   * on.
   */
  public FakeTaskRun(ObjectNode task) {
    this(task, BEGIN_WITHIN);
  }

  FakeTaskRun(ObjectNode task, Duration beginWithin) {
    this.taskContext = new TaskContext(task, this::stopping, this::listen, () -> beginWithin);
  }

  public TaskContext context() {
    return taskContext;
  }

  /** Requests a stop, as {@code POST /tasks/{id}/stop} does. */
  public void stop() {
    List<Runnable> notified;
    lock.lock();
    try {
      notified = stopping ? List.of() : List.copyOf(listeners);
      stopping = true;
    } finally {
      lock.unlock();
    }
    notified.forEach(Runnable::run);
  }

  private boolean stopping() {
    lock.lock();
    try {
      return stopping;
    } finally {
      lock.unlock();
    }
  }

  private void listen(Runnable action) {
    boolean late;
    lock.lock();
    try {
      late = stopping;
      if (!late) {
        boolean _ = listeners.add(action);
      }
    } finally {
      lock.unlock();
    }
    if (late) {
      action.run();
    }
  }
}
