package io.convoke.engine.durable.postgres;

import java.time.Duration;

/**
 * The number of items that an insert locks for waiting dispatchers of this node.
 *
 * @param token of the locks
 */
record Handoff(String token, int count, Duration lock) {
  static final Handoff NONE = new Handoff("", 0, Duration.ZERO);
}
