package io.convoke.server.sync;

import java.time.Instant;

/**
 * An update at the moment of its decision.
 *
 * @param at by the database's clock, under the row's lock
 */
record SyncEvent(SyncUpdate update, Instant at) {
  String label() {
    return update.label();
  }
}
