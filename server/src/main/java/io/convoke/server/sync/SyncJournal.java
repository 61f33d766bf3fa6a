package io.convoke.server.sync;

import io.convoke.engine.journal.NewJournalEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The journal event of an applied update; it has the whole record, so that subscribers need no
 * further request.
 */
final class SyncJournal {
  static final String TYPE = "sync.status_changed";
  static final String STALLED = "sync.stalled";
  static final String DISMISSED = "sync.dismissed";
  static final String UPDATE_ID = "update_id";

  private SyncJournal() {}

  /**
   * The part of the event that the cache invalidator and the stall detector need.
   *
   * @param unanswered whether it is a retry that waits for a job of another system
   */
  record SyncJournalHead(String meetingId, long version, SyncStatus status, boolean unanswered) {}

  /**
   * The row of an update.
   *
   * @param updateId the id that its node gave the update; used to detect whether an unconfirmed
   *     commit succeeded before it is retried
   */
  static NewJournalEvent event(
      SyncRecordCodec.EncodedSyncRecord encodedSyncRecord,
      SyncStatus from,
      SyncUpdate update,
      String updateId) {
    SyncRecord record = encodedSyncRecord.record();
    String data =
        SyncRecordCodec.with(
            encodedSyncRecord,
            SyncRecordCodec.member("from", from.wireName()),
            SyncRecordCodec.member("to", record.status().wireName()),
            SyncRecordCodec.member("cause", update.label()),
            SyncRecordCodec.member(UPDATE_ID, updateId));
    return new NewJournalEvent(TYPE, subject(record.meetingId()), record.userId(), data);
  }

  static NewJournalEvent stalled(SyncRecord record) {
    String data = SyncRecordCodec.write(record).json();
    return new NewJournalEvent(STALLED, subject(record.meetingId()), record.userId(), data);
  }

  /** The event of a dismissal by an operator. */
  static NewJournalEvent dismissed(SyncRecord record, String by) {
    String data =
        SyncRecordCodec.with(SyncRecordCodec.write(record), SyncRecordCodec.member("by", by));
    return new NewJournalEvent(DISMISSED, subject(record.meetingId()), record.userId(), data);
  }

  /** The head of an event, if it is a sync event. */
  static Optional<SyncJournalHead> head(JsonNode data) {
    JsonNode version = data.path("version");
    String status = data.path("status").asString("");
    return version.isIntegralNumber()
        ? SyncStatus.known(status)
            .map(
                it ->
                    new SyncJournalHead(
                        data.path("meeting_id").asString(""),
                        version.asLong(),
                        it,
                        data.path("unanswered").asBoolean(false)))
        : Optional.empty();
  }

  static String subject(String meetingId) {
    return "meeting:" + meetingId;
  }
}
