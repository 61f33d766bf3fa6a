package io.convoke.engine.durable.provider;

/** Whether a lock was still held when it was needed. */
public enum Held {
  /** It was, and what was asked for is done. */
  HELD,
  /** It had ended, or was taken away; nothing was changed. */
  LOST
}
