package io.convoke.engine.dispatch;

/** What became of a task that was to be taken in. */
public sealed interface Enqueued {
  record Created(Task task) implements Enqueued {}

  /** The same request had this task already. */
  record Known(Task task) implements Enqueued {}

  /** Another request has this id. */
  record IdTaken() implements Enqueued {}

  /** The channel has this task, and was to have one only. */
  record ChannelBusy(String holder) implements Enqueued {}

  /** So many wait already that this one could not start in its time. */
  record QueueFull() implements Enqueued {}
}
