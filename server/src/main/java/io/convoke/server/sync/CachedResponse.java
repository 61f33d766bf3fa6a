package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a meeting, with the response that says so. Pages poll for the same record again
 * and again, so its JSON is written once.
 */
final class CachedResponse {
  /** There is no such meeting. */
  static final CachedResponse UNKNOWN = new CachedResponse(Optional.empty());

  private final Optional<SyncRecord> record;
  private final String tag;
  private volatile byte @Nullable [] json;

  private CachedResponse(Optional<SyncRecord> record) {
    this.record = record;
    this.tag = record.map(it -> EntityTags.of(it.version())).orElse("");
  }

  static CachedResponse of(SyncRecord record) {
    return new CachedResponse(Optional.of(record));
  }

  /** The record; empty if there is no such meeting. */
  Optional<SyncRecord> record() {
    return record;
  }

  /** The entity tag of {@link #json}. */
  String tag() {
    return tag;
  }

  /** The record as it is shown while it is neither stalled nor stale; not to be changed. */
  byte[] json() {
    byte[] written = json;
    if (written == null) {
      written = Json.bytes(SyncView.of(record.orElseThrow(), false, false));
      json = written;
    }
    return written;
  }
}
