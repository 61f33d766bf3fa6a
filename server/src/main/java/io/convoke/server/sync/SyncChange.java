package io.convoke.server.sync;

import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.json.Json;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The journal's row for one applied update: the whole record, so that who follows the journal needs
 * to ask nobody.
 */
final class SyncChange {
  static final String TYPE = "sync.status_changed";
  static final String STALLED = "sync.stalled";

  private SyncChange() {}

  static NewEvent event(SyncRecord record, SyncStatus from, SyncUpdate update) {
    ObjectNode data = data(record);
    data.put("from", from.word());
    data.put("to", record.status().word());
    data.put("cause", update.label());
    return NewEvent.of(TYPE, subject(record), record.userId(), data);
  }

  static NewEvent stalled(SyncRecord record) {
    return NewEvent.of(STALLED, subject(record), record.userId(), data(record));
  }

  /** The record that an event carries, if it is one of ours. */
  static Optional<SyncRecord> record(JsonNode data) {
    return SyncJson.read(data);
  }

  private static ObjectNode data(SyncRecord record) {
    ObjectNode data = (ObjectNode) Json.tree(record);
    data.put("sync_attempt_count", record.attempts());
    return data;
  }

  private static String subject(SyncRecord record) {
    return "meeting:" + record.meetingId();
  }
}
