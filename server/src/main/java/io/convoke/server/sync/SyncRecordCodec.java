package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Encodes and decodes records for the cache and the journal. Any other content, of another program
 * or version, decodes to empty.
 */
final class SyncRecordCodec {
  private SyncRecordCodec() {}

  /** A record and its JSON, used in the cache and as the start of its journal event. */
  record EncodedSyncRecord(SyncRecord record, String json) {}

  static EncodedSyncRecord write(SyncRecord record) {
    String count = ",\"sync_attempt_count\":" + record.attempts() + '}';
    return new EncodedSyncRecord(record, open(Json.write(record)) + count);
  }

  /** The JSON for the cache: the generation comes first, as {@code put.lua} expects. */
  static String inGeneration(String generation, EncodedSyncRecord encodedSyncRecord) {
    return "{" + member("generation", generation) + ',' + encodedSyncRecord.json.substring(1);
  }

  /** The same object with more members: {@code "name":"value"} each. */
  static String with(EncodedSyncRecord encodedSyncRecord, String... members) {
    return open(encodedSyncRecord.json) + ',' + String.join(",", members) + '}';
  }

  static String member(String name, String value) {
    return Json.write(name) + ':' + Json.write(value);
  }

  private static String open(String object) {
    return object.substring(0, object.length() - 1);
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
