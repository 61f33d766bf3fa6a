package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A meeting's sync record with its serialized response. Pages poll the same record repeatedly, so
 * its JSON is serialized once.
 */
final class CachedResponse {
  /** The response for an unknown meeting. */
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

  /** The response body while the record is neither stalled nor stale; must not be modified. */
  byte[] json() {
    byte[] written = json;
    if (written == null) {
      written = Json.bytes(SyncView.of(record.orElseThrow(), false, false));
      json = written;
    }
    return written;
  }
}
