package io.convoke.engine.dispatch;

/** What became of a task that was to be taken in. */
public sealed interface EnqueueResult {
  record Created(Task task) implements EnqueueResult {}

  /** The same request had this task already. */
  record AlreadyEnqueued(Task task) implements EnqueueResult {}

  /** Another request has this id. */
  record IdTaken() implements EnqueueResult {}

  /** The channel has this task, and was to have one only. */
  record ChannelBusy(String holder) implements EnqueueResult {}

  /** So many wait already that this one could not start in its time. */
  record QueueFull() implements EnqueueResult {}
}
