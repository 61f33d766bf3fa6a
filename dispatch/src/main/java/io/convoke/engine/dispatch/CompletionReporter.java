package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.RequestBatcher;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the outcomes of a pod's tasks to Redis, called by the threads that ran them. Concurrent
 * completions share one call; each report is retried until Redis decides, at most for one lease
 * after the attempt's own: the fence refuses it if another attempt began.
 */
final class CompletionReporter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CompletionReporter.class);
  private static final Duration AGAIN = Duration.ofMillis(250);

  /** Completions of one call, and concurrent calls. */
  private static final int BATCH_MAX = 128;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final PodId pod;
  private final Waiter waiter = new Waiter();

  /** By the key space of the task. */
  private final Map<TaskScripts, RequestBatcher<TaskLeaseRef, TransitionResult>> batchers =
      new ConcurrentHashMap<>();

  CompletionReporter(Redis redis, PodId pod) {
    this.redis = redis;
    this.pod = pod;
  }

  /**
   * Reports an outcome and waits for the confirmation; false if Redis refused it or did not decide
   * {@linkplain TaskAttempt#reportable in time}.
   */
  boolean report(TaskAttempt run, AttemptOutcome attemptOutcome) {
    TransitionResult transitionResult = send(run, attemptOutcome);
    while (transitionResult == TransitionResult.UNSURE && await(run)) {
      transitionResult = send(run, attemptOutcome);
    }
    return switch (transitionResult) {
      case APPLIED, REPEATED -> true;
      case STALE, UNKNOWN -> {
        log.warn("Lease lost: outcome of task {} refused", run.task().id());
        yield false;
      }
      case UNSURE -> {
        log.warn(
            "Outcome of task {} not confirmed by Redis in time; it may run again", run.task().id());
        yield false;
      }
    };
  }

  /** Ends all retries. */
  @Override
  public void close() {
    waiter.close();
  }

  private TransitionResult send(TaskAttempt run, AttemptOutcome attemptOutcome) {
    TaskScripts at = run.at();
    try {
      return switch (attemptOutcome) {
        case AttemptOutcome.AttemptDone _ ->
            batchers.computeIfAbsent(at, this::batcher).submit(run.held());
        case AttemptOutcome.AttemptFailed(String reason) ->
            at.fail(pod.id(), run.held(), reason).on(redis);
        case AttemptOutcome.AttemptRetry(String reason) ->
            at.tryAgain(pod.id(), run.held(), reason).on(redis);
        case AttemptOutcome.AttemptHandedBack(String reason) ->
            at.handBack(pod.id(), run.held(), reason).on(redis);
      };
    } catch (RedisUnavailable e) {
      return TransitionResult.UNSURE;
    }
  }

  private RequestBatcher<TaskLeaseRef, TransitionResult> batcher(TaskScripts at) {
    return new RequestBatcher<>(
        BATCH_MAX, CALLS_MAX, held -> at.complete(pod.id(), held).begin(redis));
  }

  private boolean await(TaskAttempt run) {
    try {
      return run.reportable(System.nanoTime()) && waiter.await(AGAIN);
    } catch (InterruptedException e) {
      // Only a lost lease interrupts this thread; the next check of the time ends the loop.
      return run.reportable(System.nanoTime());
    }
  }
}
