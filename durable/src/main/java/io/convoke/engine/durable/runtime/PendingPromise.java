package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.Promise;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** A promise with its result, once it has one. Used by one thread at a time. */
final class PendingPromise<T> implements Promise<T> {
  /** Parks the workflow. */
  interface PromiseWaiter {
    /** Returns when one of the promises has completed or failed. */
    void until(PendingPromise<?>... pledges);
  }

  private final PromiseWaiter promiseWaiter;
  private final Function<JsonNode, T> value;
  private Optional<JsonNode> result = Optional.empty();
  private Optional<String> error = Optional.empty();
  private Optional<String> errorType = Optional.empty();

  PendingPromise(PromiseWaiter promiseWaiter, Function<JsonNode, T> value) {
    this.promiseWaiter = promiseWaiter;
    this.value = value;
  }

  @Override
  public T get() {
    promiseWaiter.until(this);
    if (error.isPresent()) {
      throw new ActivityFailedException(error.get(), errorType);
    }
    return value.apply(result.orElseThrow());
  }

  @Override
  public boolean done() {
    return result.isPresent() || error.isPresent();
  }

  void keep(JsonNode with) {
    result = Optional.of(with);
  }

  void fail(String with, Optional<String> type) {
    error = Optional.of(with);
    errorType = type;
  }
}
