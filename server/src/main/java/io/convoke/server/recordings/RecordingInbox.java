package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import java.util.List;
import java.util.function.Function;

/** Recording webhooks that arrived while Redis was unreachable, from the inbox table. */
final class RecordingInbox {
  private static final int BATCH = 100;

  private final Database database;
  private final String source;

  RecordingInbox(Database database, String source) {
    this.database = database;
    this.source = source;
  }

  /** Never compared. */
  @SuppressWarnings("ArrayRecordComponent")
  private record RecordingInboxEntry(long id, byte[] body) {}

  /** Reads all waiting entries, oldest first; entries with a later due time stay. */
  synchronized void drain(Function<byte[], RecordingIngest.IngestResult> reader) {
    long after = 0;
    List<RecordingInboxEntry> batch = next(after);
    while (!batch.isEmpty()) {
      for (RecordingInboxEntry recordingInboxEntry : batch) {
        after = recordingInboxEntry.id();
        if (reader.apply(recordingInboxEntry.body()) != RecordingIngest.IngestResult.LATER) {
          forget(recordingInboxEntry.id());
        }
      }
      batch = next(after);
    }
  }

  private List<RecordingInboxEntry> next(long after) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, body from webhook_inbox where source = ? and id > ?
                    order by id limit ?
                    """)
                .with(source, after, BATCH)
                .list(
                    resultRow ->
                        new RecordingInboxEntry(resultRow.longAt("id"), resultRow.bytes("body"))));
  }

  private void forget(long id) {
    int _ = database.read(tx -> tx.sql("delete from webhook_inbox where id = ?").with(id).update());
  }
}
