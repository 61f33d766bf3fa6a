package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A record as the cache and the journal hold it. Whatever is not one of ours, because a stranger or
 * another version wrote it, reads as nothing.
 */
final class SyncJson {
  private SyncJson() {}

  static String write(SyncRecord record) {
    String text = Json.write(record);
    return text.substring(0, text.length() - 1)
        + ",\"sync_attempt_count\":"
        + record.attempts()
        + '}';
  }

  static Optional<SyncRecord> read(String text) {
    try {
      return read(Json.read(text));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  static Optional<SyncRecord> read(JsonNode tree) {
    boolean ours =
        tree.path("version").isIntegralNumber()
            && tree.path("attempt").isIntegralNumber()
            && tree.path("steps").isArray()
            && tree.path("meeting_id").isString()
            && tree.path("status").isString();
    try {
      return ours ? Optional.of(Json.read(tree, SyncRecord.class)) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
