package io.convoke.server.sync;

import java.time.Instant;

/**
 * An update at the moment of its decision.
 *
 * @param id the number that this node gave it; the same when it is tried again
 * @param at by the database's clock, under the row's lock
 */
record SyncEvent(SyncUpdate update, long id, Instant at) {
  String label() {
    return update.label();
  }
}
