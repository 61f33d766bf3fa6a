package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Together;
import io.convoke.engine.wake.Pause;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the tasks of a pod ended, told by the threads that ran them: what ended well at the same time
 * in one call, and each again and again until it was heard or its lease ends.
 */
final class Reports implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Reports.class);
  private static final Duration AGAIN = Duration.ofMillis(250);

  /** Ends of one call, and calls on their way. */
  private static final int TOGETHER_MAX = 128;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final PodName pod;
  private final Pause pause = new Pause();

  /** By the place that has the task. */
  private final Map<Functions, Together<Held, Word>> completing = new ConcurrentHashMap<>();

  Reports(Redis redis, PodName pod) {
    this.redis = redis;
    this.pod = pod;
  }

  /** Waits until it was heard; false if it does not count, or nobody heard it for so long. */
  boolean tell(TaskRun run, Outcome outcome) {
    Word word = once(run, outcome);
    while (word == Word.UNSURE && await(run)) {
      word = once(run, outcome);
    }
    return switch (word) {
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
    pause.close();
  }

  private Word once(TaskRun run, Outcome outcome) {
    Functions at = run.at();
    try {
      return switch (outcome) {
        case Outcome.Done _ -> completing.computeIfAbsent(at, this::completing).ask(run.held());
        case Outcome.Failed(String reason) -> at.fail(pod.id(), run.held(), reason).on(redis);
        case Outcome.TryAgain(String reason) ->
            (run.handedBack()
                    ? at.handBack(pod.id(), run.held(), reason)
                    : at.tryAgain(pod.id(), run.held(), reason))
                .on(redis);
      };
    } catch (RedisUnavailable e) {
      return Word.UNSURE;
    }
  }

  private Together<Held, Word> completing(Functions at) {
    return new Together<>(
        TOGETHER_MAX, CALLS_MAX, held -> at.complete(pod.id(), held).begin(redis));
  }

  private boolean await(TaskRun run) {
    try {
      return !run.overdue(System.nanoTime()) && pause.await(AGAIN);
    } catch (InterruptedException e) {
      // Only a loss interrupts here; the next look at the lease ends the loop.
      return !run.overdue(System.nanoTime());
    }
  }
}
