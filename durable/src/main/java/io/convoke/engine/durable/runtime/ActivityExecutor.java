package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.WorkflowTracing;
import io.convoke.engine.durable.WorkflowTracing.WorkflowSpan;
import io.convoke.engine.durable.WorkflowTracing.WorkflowSpanKind;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.runtime.DispatchLoop.DispatcherPlace;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Runs activities. While one runs its lock is renewed; when the lock is lost, the timeout passes or
 * the heartbeat is missing, its thread is interrupted. Its result counts only if the lock is still
 * held at the commit. An attempt that fails because its node closes is given back, uncounted.
 */
final class ActivityExecutor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ActivityExecutor.class);

  /** At least so many attempts may end with their process, whatever the retry policy allows. */
  private static final int ATTEMPTS_MAX = 10;

  private static final Duration RETRY_PAUSE = Duration.ofMillis(300);

  private final Provider provider;
  private final WorkKind activities;
  private final WorkflowTracing workflowTracing;
  private final LockRenewal lockRenewal;
  private final Duration attemptTimeout;
  private final UnregisteredWork unregisteredWork = new UnregisteredWork();
  private final AttemptTimers attemptTimers = new AttemptTimers();
  private final BackgroundCommits backgroundCommits = new BackgroundCommits();

  ActivityExecutor(
      Provider provider,
      WorkflowRegistry workflowRegistry,
      WorkflowTracing workflowTracing,
      Duration lock,
      Duration attemptTimeout) {
    this.provider = provider;
    this.activities = new WorkKind.ActivityKind(provider, workflowRegistry);
    this.workflowTracing = workflowTracing;
    this.lockRenewal = new LockRenewal(lock);
    this.attemptTimeout = attemptTimeout;
  }

  /** Runs one attempt of an activity and commits its result. */
  void run(WorkItem item, DispatcherPlace place) {
    run(item, activities, place);
  }

  /** Runs one attempt and commits its result. */
  void run(WorkItem item, WorkKind workKind, DispatcherPlace place) {
    ActivityTask activityTask;
    try {
      activityTask = workKind.read(item);
    } catch (JacksonException e) {
      giveUp(item, workKind, "not a work item of this engine: " + e.getOriginalMessage());
      return;
    }
    Optional<WorkflowRegistry.ActivityFunction> activityFunction = workKind.function(activityTask);
    if (activityFunction.isEmpty()) {
      Duration pause =
          unregisteredWork.pause("the activity", activityTask.name(), ActivityAttempt.key(item));
      LockStatus _ = provider.abandonWorkItem(item.lockToken(), Optional.of(pause), true);
      return;
    }
    if (item.attempt() > Math.max(activityTask.attempts(), ATTEMPTS_MAX)) {
      giveUp(item, workKind, "given up after " + (item.attempt() - 1) + " attempts");
      return;
    }
    String traceparent = activityTask.traceparent();
    try (MDC.MDCCloseable _ = Traceparent.logged(traceparent);
        WorkflowSpan workflowSpan =
            workflowTracing.begin(
                WorkflowSpanKind.ACTIVITY, activityTask.name(), item.instanceId(), traceparent)) {
      attempt(item, workKind, place, activityTask, activityFunction.get(), workflowSpan);
    }
  }

  private void attempt(
      WorkItem item,
      WorkKind workKind,
      DispatcherPlace place,
      ActivityTask activityTask,
      WorkflowRegistry.ActivityFunction activityFunction,
      WorkflowSpan workflowSpan) {
    ActivityAttempt activityAttempt =
        new ActivityAttempt(item, workKind, activityTask, workflowSpan.traceparent());
    // Its result is committed under this attempt's lock, however long the store is unreachable.
    Optional<JsonNode> result = Optional.empty();
    AttemptError error = AttemptError.of("");
    try {
      result = Optional.of(activityFunction.run(activityAttempt, activityTask.input()));
    } catch (Throwable e) {
      // An Error must not end the dispatcher: the item would fail on the next one again.
      error = activityAttempt.reason().map(AttemptError::of).orElseGet(() -> AttemptError.of(e));
      log.debug("{} of {} failed", activityTask.name(), item.instanceId(), e);
    } finally {
      activityAttempt.end();
    }
    if (result.isEmpty()) {
      workflowSpan.failed(error.text());
    }
    if (result.isEmpty() && place.interrupted() && activityAttempt.reason().isEmpty()) {
      giveBack(activityAttempt);
    } else {
      finish(activityAttempt, result, error);
    }
  }

  /** After an attempt that the close of its node interrupted: another node runs it anew. */
  private void giveBack(ActivityAttempt activityAttempt) {
    WorkItem item = activityAttempt.item;
    log.info("{} was interrupted, it runs again", activityAttempt.workKind.describe(item));
    LockStatus _ =
        commit(
            activityAttempt.lockEndAtMost(),
            () -> provider.abandonWorkItem(item.lockToken(), Optional.empty(), true));
  }

  @Override
  public void close() {
    backgroundCommits.close();
    attemptTimers.close();
  }

  private void finish(
      ActivityAttempt activityAttempt, Optional<JsonNode> result, AttemptError error) {
    WorkItem item = activityAttempt.item;
    ActivityTask activityTask = activityAttempt.activityTask;
    if (result.isEmpty() && !error.last() && item.attempt() < activityTask.attempts()) {
      Duration pause = activityTask.retry().after(item.attempt());
      log.debug(
          "{} of {} is retried in {}: {}",
          activityTask.name(),
          item.instanceId(),
          pause,
          error.text());
      LockStatus _ =
          commit(
              activityAttempt.lockEndAtMost(),
              () -> provider.abandonWorkItem(item.lockToken(), Optional.of(pause), false));
      return;
    }
    WorkKind workKind = activityAttempt.workKind;
    Supplier<LockStatus> end =
        () ->
            result
                .map(output -> workKind.completed(item, output))
                .orElseGet(() -> workKind.failed(item, error));
    switch (workKind) {
      case WorkKind.ActivityKind _ -> end(activityAttempt, end);
      case WorkKind.JobKind _ -> backgroundCommits.run(() -> end(activityAttempt, end));
    }
  }

  private static void end(ActivityAttempt activityAttempt, Supplier<LockStatus> end) {
    if (commit(activityAttempt.lockEndAtMost(), end) == LockStatus.LOST) {
      log.info(
          "lost the lock of {}; dropped its result",
          activityAttempt.workKind.describe(activityAttempt.item));
    }
  }

  /** Fails an item that cannot be run, or whose attempts all ended with their process. */
  private static void giveUp(WorkItem item, WorkKind workKind, String error) {
    log.error("{}: {}", workKind.describe(item), error);
    LockStatus _ = workKind.failed(item, AttemptError.of(error));
  }

  /**
   * Commits the result of an attempt, with retries while the store is unreachable and the lock may
   * be held: an activity that ends during a restart of Postgres is not run a second time.
   */
  private static LockStatus commit(long lockEndAtMost, Supplier<LockStatus> result) {
    while (true) {
      try {
        return result.get();
      } catch (ProviderFailure e) {
        if (!e.retryable()
            || System.nanoTime() - lockEndAtMost >= 0
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        log.info("a result is not committed, retrying: {}", e.getMessage());
        LockSupport.parkNanos(RETRY_PAUSE.toNanos());
      }
    }
  }

  /** One attempt: its lock, its limits, and the thread it runs on. */
  private final class ActivityAttempt implements ActivityContext {
    private final WorkItem item;
    private final WorkKind workKind;
    private final ActivityTask activityTask;
    private final String traceparent;
    private final Thread thread = Thread.currentThread();
    private final AttemptTimers.WatchedAttempt alarms = attemptTimers.begin();
    private final Runnable renewal = this::renew;
    private final Runnable silence = this::checkHeartbeat;
    private volatile long lastBeat = System.nanoTime();
    private volatile long lockEnd;
    private Optional<String> reason = Optional.empty();
    private boolean over;

    private ActivityAttempt(
        WorkItem item, WorkKind workKind, ActivityTask activityTask, String traceparent) {
      this.item = item;
      this.workKind = workKind;
      this.activityTask = activityTask;
      this.traceparent = traceparent;
      this.lockEnd = System.nanoTime() + lockRenewal.atBegin().toNanos();
      alarms.after(lockRenewal.pause(), renewal);
      activityTask
          .timeoutOr(attemptTimeout)
          .ifPresent(most -> alarms.after(most, () -> late(most)));
      activityTask.heartbeat().ifPresent(most -> alarms.after(most, silence));
    }

    /** When the lock is over for certain. */
    private long lockEndAtMost() {
      return lockEnd + lockRenewal.buffered().toNanos();
    }

    @Override
    public String instanceId() {
      return item.instanceId();
    }

    @Override
    public String key() {
      return key(item);
    }

    private static String key(WorkItem item) {
      return item.instanceId() + "/" + item.executionId() + "/" + item.activityId();
    }

    @Override
    public String traceparent() {
      return traceparent;
    }

    @Override
    public int attempt() {
      return item.attempt();
    }

    @Override
    public void heartbeat() throws InterruptedException {
      lastBeat = System.nanoTime();
      if (Thread.interrupted()) {
        throw new InterruptedException(reason().orElse("interrupted"));
      }
    }

    synchronized Optional<String> reason() {
      return reason;
    }

    /**
     * Renews the lock, with retries while the store is unreachable and the lock has not expired.
     */
    private void renew() {
      if (!running()) {
        return;
      }
      long asked = System.nanoTime();
      try {
        if (provider.renewWorkItemLock(item.lockToken(), lockRenewal.lock()) == LockStatus.LOST) {
          interrupt("cancelled, or taken over by another worker");
        } else {
          lockEnd = asked + lockRenewal.lock().toNanos();
          alarms.after(lockRenewal.pause(), renewal);
        }
      } catch (RuntimeException | Error e) {
        log.info("the lock of {} was not renewed: {}", workKind.describe(item), ErrorText.of(e));
        if (System.nanoTime() - lockEnd < 0) {
          alarms.after(lockRenewal.retryPause(), renewal);
        } else {
          interrupt("its lock expired while the store was unreachable");
        }
      }
    }

    private void checkHeartbeat() {
      long most = TimeUnit.MILLISECONDS.toNanos(activityTask.heartbeatMs());
      long silent = System.nanoTime() - lastBeat;
      if (silent >= most) {
        interrupt("sent no heartbeat for " + activityTask.heartbeatMs() + " ms");
      } else if (running()) {
        alarms.after(Duration.ofNanos(most - silent), silence);
      }
    }

    private void late(Duration most) {
      interrupt("took longer than " + most.toMillis() + " ms");
    }

    private synchronized boolean running() {
      return !over;
    }

    private synchronized void interrupt(String why) {
      if (!over) {
        reason = Optional.of(why);
        thread.interrupt();
      }
    }

    /**
     * Ends the attempt: its thread is not interrupted later, and a pending interrupt is cleared.
     */
    private void end() {
      alarms.close();
      synchronized (this) {
        over = true;
      }
      boolean _ = Thread.interrupted();
    }
  }
}
