package io.convoke.bench.signals;

/** The source of a flag. */
enum SignalKind {
  WEBHOOK,
  TIMER,
  /** A plain {@code SET} by a client without the queue. */
  STRANGER
}
