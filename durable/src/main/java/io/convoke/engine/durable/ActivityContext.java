package io.convoke.engine.durable;

/** What an activity knows about its run. */
public interface ActivityContext {
  String instanceId();

  /** The same in every attempt: an idempotency key for the outside world. */
  String key();

  /** Where this run stands in a trace, as W3C {@code traceparent}: for calls into the world. */
  String traceparent();

  /** 1 for the first attempt. */
  int attempt();

  /**
   * Says that the activity is alive; needed only where its order asks for heartbeats.
   *
   * @throws InterruptedException when the activity was cancelled, timed out, or belongs to another
   *     worker by now
   */
  void heartbeat() throws InterruptedException;
}
