package io.convoke.server.join;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.platform.janus.JanusRecordingFolder;
import java.util.Map;
import java.util.Optional;

/**
 * Which rooms are recorded: Janus forgets it with the room, and then we make the room again. A rule
 * is written before Janus is told to record, and deleted only after Janus was told to stop, so
 * Janus records no room on our behalf that has no rule.
 */
public final class RecordedRooms {
  /** The user of a rule that was ended on request: no user has this id, so no room is its own. */
  private static final long NO_USER = -1;

  /** Whether the room of rule {@code r} still belongs to the rule's user or that user's team. */
  private static final String HOLDS =
      """
      exists (select from room_claim_for(r.platform, r.room, r.user_id) c
        where c.user_id = r.user_id)
      """;

  private final Database database;
  private final Optional<JanusRecordingFolder> folder;

  /** {@code folder}: where Janus records; empty where no room can be recorded. */
  public RecordedRooms(Database database, Optional<JanusRecordingFolder> folder) {
    this.database = database;
    this.folder = folder;
  }

  /** What is noted about a room. */
  enum RecordingRule {
    /** Nothing: Janus does with the room what it does. */
    NONE,
    /** It is recorded. */
    HOLDS,
    /** It is recorded no longer, by request or with a new owner; Janus may not know that yet. */
    ENDED
  }

  /** Whether rooms can be recorded. */
  boolean possible() {
    return folder.isPresent();
  }

  /** The rule of a room; a room of a team has one for all members. */
  RecordingRule rule(String platform, String room) {
    if (!possible()) {
      return RecordingRule.NONE;
    }
    return database
        .read(
            tx ->
                tx.sql(
                        "select "
                            + HOLDS
                            + " as holds from recorded_rooms r where r.platform = ? and r.room = ?")
                    .with(platform, room)
                    .first(row -> row.booleanAt("holds")))
        .map(holds -> holds ? RecordingRule.HOLDS : RecordingRule.ENDED)
        .orElse(RecordingRule.NONE);
  }

  /** Notes that a room is recorded while it is this user's, or ends its rule. */
  void set(Tx tx, String platform, String room, long user, boolean record) {
    int _ =
        record
            ? tx.sql(
                    """
                    insert into recorded_rooms (platform, room, user_id) values (?, ?, ?)
                    on conflict (platform, room) do update set user_id = excluded.user_id
                    """)
                .with(platform, room, user)
                .update()
            : tx.sql("update recorded_rooms set user_id = ? where platform = ? and room = ?")
                .with(NO_USER, platform, room)
                .update();
  }

  /** Deletes the rule of a room that has no links, so that it is never entered. */
  void forget(Tx tx, String platform, String room) {
    int _ =
        tx.sql("delete from recorded_rooms where platform = ? and room = ?")
            .with(platform, room)
            .update();
  }

  /** Deletes a room's rule if it has ended, once Janus was told to stop. */
  void forgetEnded(String platform, String room) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        "delete from recorded_rooms r where r.platform = ? and r.room = ? and not "
                            + HOLDS)
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
