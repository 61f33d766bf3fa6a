package io.convoke.engine.durable.postgres;

import java.time.Duration;

/**
 * Dispatchers of this node that wait for work which is about to be written: so much of it is locked
 * for them in the statement that writes it.
 *
 * @param token of the locks
 */
record Handoff(String token, int count, Duration lock) {
  static final Handoff NONE = new Handoff("", 0, Duration.ZERO);
}
