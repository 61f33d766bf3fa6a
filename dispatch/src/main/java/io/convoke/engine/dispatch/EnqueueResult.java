package io.convoke.engine.dispatch;

/** The result of enqueueing a task. */
public sealed interface EnqueueResult {
  record Created(Task task) implements EnqueueResult {}

  /** The request already has this task. */
  record AlreadyEnqueued(Task task) implements EnqueueResult {}

  /** The id belongs to another request. */
  record IdTaken() implements EnqueueResult {}

  /** The channel has this open task and allows only one. */
  record ChannelBusy(String holder) implements EnqueueResult {}

  /** The queue has reached its limit. */
  record QueueFull() implements EnqueueResult {}
}
