package io.convoke.engine.durable.provider;

/** Whether a lock was still held when it was needed. */
public enum LockStatus {
  /** The lock was held, and the operation is done. */
  HELD,
  /** The lock had expired, or another node has it; nothing was changed. */
  LOST
}
