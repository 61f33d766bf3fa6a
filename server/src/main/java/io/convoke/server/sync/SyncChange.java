package io.convoke.server.sync;

import io.convoke.engine.journal.NewEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The journal's row for one applied update: with the whole record, so that a follower of the
 * journal needs no other request.
 */
final class SyncChange {
  static final String TYPE = "sync.status_changed";
  static final String STALLED = "sync.stalled";
  static final String DISMISSED = "sync.dismissed";
  static final String UPDATE_ID = "update_id";

  private SyncChange() {}

  /** What the cache's follower looks at first. */
  record Head(String meetingId, long version, SyncStatus status) {}

  /**
   * The row of an update.
   *
   * @param updateId the number that its node gave it: one whose commit was not confirmed is looked
   *     for by it before it is applied again
   */
  static NewEvent event(SyncJson.Text text, SyncStatus from, SyncUpdate update, String updateId) {
    SyncRecord record = text.record();
    String data =
        SyncJson.with(
            text,
            SyncJson.member("from", from.word()),
            SyncJson.member("to", record.status().word()),
            SyncJson.member("cause", update.label()),
            SyncJson.member(UPDATE_ID, updateId));
    return new NewEvent(TYPE, subject(record.meetingId()), record.userId(), data);
  }

  static NewEvent stalled(SyncRecord record) {
    String data = SyncJson.write(record).json();
    return new NewEvent(STALLED, subject(record.meetingId()), record.userId(), data);
  }

  /** An operator has seen it and lets it be. */
  static NewEvent dismissed(SyncRecord record, String by) {
    String data = SyncJson.with(SyncJson.write(record), SyncJson.member("by", by));
    return new NewEvent(DISMISSED, subject(record.meetingId()), record.userId(), data);
  }

  /** What an event is about, if it is one of ours. */
  static Optional<Head> head(JsonNode data) {
    JsonNode version = data.path("version");
    String status = data.path("status").asString("");
    return version.isIntegralNumber()
        ? SyncStatus.known(status)
            .map(it -> new Head(data.path("meeting_id").asString(""), version.asLong(), it))
        : Optional.empty();
  }

  static String subject(String meetingId) {
    return "meeting:" + meetingId;
  }
}
