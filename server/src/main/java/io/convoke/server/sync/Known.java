package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a meeting, with the answer that says so: pages poll for the same record again
 * and again, so it is written once and not for each of them.
 */
final class Known {
  private final SyncRecord record;
  private final String tag;
  private volatile byte @Nullable [] json;

  Known(SyncRecord record) {
    this.record = record;
    this.tag = EntityTags.of(record.version());
  }

  SyncRecord record() {
    return record;
  }

  /** The entity tag of {@link #json}. */
  String tag() {
    return tag;
  }

  /** The record as it is shown while it neither stands still nor is stale; not to be changed. */
  byte[] json() {
    byte[] written = json;
    if (written == null) {
      written = Json.bytes(SyncView.of(record, false, false));
      json = written;
    }
    return written;
  }
}
