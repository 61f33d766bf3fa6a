package io.convoke.server.join;

import io.convoke.engine.sql.Database;
import io.convoke.server.platform.janus.JanusRecordingFolder;
import java.util.Map;
import java.util.Optional;

/** Which rooms are recorded: Janus forgets it with the room, and then we make the room again. */
public final class RecordedRooms {
  private final Database database;
  private final Optional<JanusRecordingFolder> folder;

  /** {@code folder}: where Janus records; empty where no room can be recorded. */
  public RecordedRooms(Database database, Optional<JanusRecordingFolder> folder) {
    this.database = database;
    this.folder = folder;
  }

  /** Whether rooms can be recorded. */
  boolean possible() {
    return folder.isPresent();
  }

  /** Whether a user's room is recorded. */
  boolean recorded(String platform, String room, long user) {
    return possible()
        && database.read(
            tx ->
                tx.sql(
                        """
                        select exists (select from recorded_rooms
                          where platform = ? and room = ? and user_id = ?) as recorded
                        """)
                    .with(platform, room, user)
                    .one(row -> row.booleanAt("recorded")));
  }

  /** Notes whether a user's room is recorded. */
  void set(String platform, String room, long user, boolean record) {
    int _ =
        database.read(
            tx ->
                record
                    ? tx.sql(
                            """
                            insert into recorded_rooms (platform, room, user_id) values (?, ?, ?)
                            on conflict (platform, room) do update set user_id = excluded.user_id
                            """)
                        .with(platform, room, user)
                        .update()
                    : tx.sql("delete from recorded_rooms where platform = ? and room = ?")
                        .with(platform, room)
                        .update());
  }

  /** The fields of Janus' room that say where it records. */
  Map<String, Object> fields(String room, boolean record) {
    return folder
        .<Map<String, Object>>map(
            it -> Map.of("record", record, "rec_dir", it.folderOf(room), "lock_record", true))
        .orElse(Map.of());
  }
}
