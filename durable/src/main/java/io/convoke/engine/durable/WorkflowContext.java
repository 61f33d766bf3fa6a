package io.convoke.engine.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The deterministic API of a workflow's code: every call has the same result in every replay. It is
 * for the thread that runs the code: commands and waits of steps and of other threads, such as
 * those of a parallel stream, throw {@link IllegalStateException}.
 */
public interface WorkflowContext {
  String instanceId();

  /** Counts from 1; grows when the workflow continues as new. */
  long executionId();

  /** The trace context of the workflow as W3C {@code traceparent}. */
  String traceparent();

  /**
   * The time of the last event of this workflow, by the store's clock; a timer's is when it fired.
   */
  Instant now();

  /**
   * Random numbers, the same in every replay. Two workflows may draw the same ones: ids come from
   * {@link #newId}.
   */
  RandomGenerator random();

  /** An id that no other workflow makes, the same in every replay. It can be guessed. */
  UUID newId();

  /** Runs an activity, with one attempt, and waits for its result. */
  default <T> T activity(String name, @Nullable Object input, Class<T> type) {
    return order(name, input, type, ActivityOptions.ONCE).get();
  }

  default <T> T activity(
      String name, @Nullable Object input, Class<T> type, ActivityOptions options) {
    return order(name, input, type, options).get();
  }

  /** Starts an activity without waiting for it. */
  <T> Promise<T> order(String name, @Nullable Object input, Class<T> type, ActivityOptions options);

  /** Runs a step, with one attempt; see {@link #step(String, Class, RetryPolicy, Callable)}. */
  default <T> T step(String name, Class<T> type, Callable<? extends T> body) {
    return step(name, type, RetryPolicy.NONE, body);
  }

  /**
   * Runs code with effects in place, on the node and the thread that run the workflow, and keeps
   * its result in the history: a replay does not run it again. Cheaper than an activity, and like
   * one it runs at least once: a crash before the commit of its result runs it again. It blocks no
   * other instance, cannot use this context, and is not interrupted by a cancellation.
   *
   * @throws ActivityFailedException when its last attempt has failed
   */
  <T> T step(String name, Class<T> type, RetryPolicy retry, Callable<? extends T> body);

  default void sleep(Duration duration) {
    var _ = timer(duration).get();
  }

  /** Completes after a delay, at most a thousand years; restarts of processes do not change it. */
  Promise<Instant> timer(Duration duration);

  /** The next external event of a name that the workflow has not consumed. */
  <T> Promise<T> event(String name, Class<T> type);

  /** Starts a sub-workflow, whose instance id must be unused, without waiting for it. */
  <T> Promise<T> child(String name, String instanceId, @Nullable Object input, Class<T> type);

  /**
   * Waits until one of the promises has completed or failed, and returns its index.
   *
   * @throws IllegalArgumentException if there is no promise: the workflow would wait for ever
   */
  int select(List<? extends Promise<?>> promises);

  /** Waits for all promises, in their order. */
  default <T> List<T> all(List<Promise<T>> promises) {
    return promises.stream().map(Promise::get).toList();
  }

  /**
   * The version of a change of the code that this instance follows: the newest for an instance that
   * reaches the change for the first time, 0 for one that had passed it in the code before.
   */
  int version(String change, int newest);

  /** Sets the custom status, which {@link Durable#instance} returns; U+0000 becomes U+FFFD. */
  void status(String custom);

  /**
   * Ends this execution and begins the next one with another input and an empty history; the caller
   * throws the result.
   */
  RuntimeException continueAsNew(@Nullable Object input);
}
