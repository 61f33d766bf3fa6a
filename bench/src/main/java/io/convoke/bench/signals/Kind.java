package io.convoke.bench.signals;

/** Who sets the flag. */
enum Kind {
  WEBHOOK,
  TIMER,
  /** A plain {@code SET} by somebody who knows nothing of queues. */
  STRANGER
}
