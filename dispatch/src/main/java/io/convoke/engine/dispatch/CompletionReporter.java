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
 * How the tasks of a pod ended, told by the threads that ran them: what ended well at the same time
 * in one call, and each again and again until it was heard or its lease ends.
 */
final class CompletionReporter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CompletionReporter.class);
  private static final Duration AGAIN = Duration.ofMillis(250);

  /** Ends of one call, and calls on their way. */
  private static final int BATCH_MAX = 128;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final PodId pod;
  private final Waiter waiter = new Waiter();

  /** By the place that has the task. */
  private final Map<TaskScripts, RequestBatcher<TaskLeaseRef, TransitionResult>> batchers =
      new ConcurrentHashMap<>();

  CompletionReporter(Redis redis, PodId pod) {
    this.redis = redis;
    this.pod = pod;
  }

  /** Waits until it was heard; false if it does not count, or nobody heard it for so long. */
  boolean report(TaskAttempt run, AttemptOutcome attemptOutcome) {
    TransitionResult transitionResult = send(run, attemptOutcome);
    while (transitionResult == TransitionResult.UNSURE && await(run)) {
      transitionResult = send(run, attemptOutcome);
    }
    return switch (transitionResult) {
      case APPLIED, REPEATED -> true;
      case STALE, UNKNOWN -> {
        log.warn("task {} is not ours any more, its outcome does not count", run.task().id());
        yield false;
      }
      case UNSURE -> {
        log.warn("the outcome of task {} could not be told", run.task().id());
        yield false;
      }
    };
  }

  /** Nobody waits for another try any more. */
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
            (run.handedBack()
                    ? at.handBack(pod.id(), run.held(), reason)
                    : at.tryAgain(pod.id(), run.held(), reason))
                .on(redis);
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
      return !run.overdue(System.nanoTime()) && waiter.await(AGAIN);
    } catch (InterruptedException e) {
      // Only a loss interrupts here; the next look at the lease ends the loop.
      return !run.overdue(System.nanoTime());
    }
  }
}
