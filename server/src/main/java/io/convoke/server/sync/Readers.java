package io.convoke.server.sync;

import java.time.Duration;
import java.util.UUID;

/**
 * Who reads the cache, as Redis knows it.
 *
 * @param generation the key of what changes when Redis forgets something
 * @param key the key of who looked when
 * @param self whose looks are ours
 */
record Readers(String generation, String key, String self) {
  /**
   * For how long others know of a look: many leases, so that Redis' clock may jump by seconds and a
   * reader need not be written down with each look.
   */
  static final Duration KNOWN = Duration.ofSeconds(10);

  /** A process that has not read yet. */
  static Readers fresh() {
    return new Readers(
        "convoke:sync:generation", "convoke:sync:readers", UUID.randomUUID().toString());
  }
}
