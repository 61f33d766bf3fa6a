package io.convoke.engine.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The world as a workflow's code may see it: the same in every replay. */
public interface WorkflowContext {
  String instanceId();

  /** Counts from 1; grows when the workflow continues as new. */
  long executionId();

  /** Where the workflow stands in a trace, as W3C {@code traceparent}. */
  String traceparent();

  /** The time of the last thing that happened to this workflow, by the store's clock. */
  Instant now();

  /** Chance, the same in every replay. */
  RandomGenerator random();

  UUID newId();

  /** Orders an activity and waits for it: one attempt. */
  default <T> T activity(String name, @Nullable Object input, Class<T> type) {
    return order(name, input, type, ActivityOptions.ONCE).get();
  }

  default <T> T activity(
      String name, @Nullable Object input, Class<T> type, ActivityOptions options) {
    return order(name, input, type, options).get();
  }

  /** Orders an activity and goes on. */
  <T> Promise<T> order(String name, @Nullable Object input, Class<T> type, ActivityOptions options);

  default void sleep(Duration duration) {
    var _ = timer(duration).get();
  }

  /** Done after a while, however often the process is restarted meanwhile. */
  Promise<Instant> timer(Duration duration);

  /** The next external event of a name that was not taken yet. */
  <T> Promise<T> event(String name, Class<T> type);

  /** Starts another workflow, whose instance id must be free, and goes on. */
  <T> Promise<T> child(String name, String instanceId, @Nullable Object input, Class<T> type);

  /** Waits until one of them is done and answers which. */
  int select(List<? extends Promise<?>> promises);

  /** Waits for all of them, in their order. */
  default <T> List<T> all(List<Promise<T>> promises) {
    return promises.stream().map(Promise::get).toList();
  }

  /**
   * The version of a change of the code that this instance follows: the newest for whoever comes
   * here for the first time, 0 for instances that had passed this point before the change was made.
   */
  int version(String change, int newest);

  /** Shows something to whoever looks at the instance. */
  void status(String custom);

  /**
   * Ends this execution and begins the next one with another input and an empty history; to be
   * thrown.
   */
  RuntimeException continueAsNew(@Nullable Object input);
}
