package io.convoke.engine.durable;

/** The attempt that a job runs in. */
public interface JobContext {
  /** The job's id, an idempotency key for calls of other systems: the same in every attempt. */
  String id();

  /** 1 for the first attempt. */
  int attempt();

  /** The trace context of this attempt as W3C {@code traceparent}, for calls of other systems. */
  String traceparent();

  /**
   * Reports that the job makes progress; needed only if its options set a heartbeat.
   *
   * @throws InterruptedException when the job was cancelled, timed out, another worker has taken it
   *     over, or its engine closes
   */
  void heartbeat() throws InterruptedException;
}
