package io.convoke.engine.durable;

/** The attempt that an activity runs in. */
public interface ActivityContext {
  String instanceId();

  /** An idempotency key for calls of other systems: the same in every attempt. */
  String key();

  /** The trace context of this attempt as W3C {@code traceparent}, for calls of other systems. */
  String traceparent();

  /** 1 for the first attempt. */
  int attempt();

  /**
   * Reports that the activity makes progress; needed only if its options set a heartbeat.
   *
   * @throws InterruptedException when the activity was cancelled, timed out, another worker has
   *     taken it over, or its engine closes
   */
  void heartbeat() throws InterruptedException;
}
