package io.convoke.server.join;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.egress.EgressFeature;
import java.time.Duration;
import java.util.List;

/**
 * The rooms that Janus has by our making, with the user to whose quota each counts and the time
 * when it was used last. A row is written before Janus is told to make its room and deleted when
 * Janus has the room no more, so that none is left there for good. Whose link enters a room writes
 * its row first, which fails while {@link RoomRemoval} has the room closed.
 */
final class JanusRooms {
  /** How long a room stays that is not used: pages and bots that come back find it as it was. */
  private static final Duration UNUSED_MAX = Duration.ofMinutes(10);

  /** How long a room is closed for its removal, if the server that removes it dies. */
  static final Duration CLOSED_MAX = Duration.ofSeconds(10);

  /**
   * Whether room {@code r} may be removed: not while a meeting lasts that had participants, because
   * an empty room ends it and a missing one does not prove that they left; nor while a pod has its
   * secret.
   */
  private static final String UNUSED =
      """
      r.used_at < clock_timestamp() - ?::float8 * interval '1 millisecond'
        and not exists (select from meetings m
          where m.platform = 'janus' and m.platform_specific_id = r.room
            and m.status not in ('completed', 'failed', 'error')
            and exists (select from participant_sessions s where s.meeting_id = m.id))
        and not exists (select from tasks t
          where t.channel = r.room and t.completed_at is null and t.spec ->> 'type' = ?)
      """;

  private final Database database;

  JanusRooms(Database database) {
    this.database = database;
  }

  /** The room is being removed: what would use it may be written when that has ended. */
  static final class RoomClosed extends RuntimeException {
    private RoomClosed(String room) {
      super("room " + room + " is being removed", null, false, false);
    }
  }

  /** Whether Janus has the room, unless it forgot it. */
  boolean has(String room) {
    return database.read(
        tx ->
            tx.sql("select exists (select from janus_rooms where room = ?) as there")
                .with(room)
                .one(row -> row.booleanAt("there")));
  }

  /**
   * Notes that a user asks for a room or a link of the user enters it; Janus is told then.
   *
   * @throws RoomClosed while the room is closed, so that the transaction commits nothing
   */
  void use(Tx tx, String room, long user) {
    int noted =
        tx.sql(
                """
                insert into janus_rooms as r (room, user_id, used_at)
                values (?, ?, clock_timestamp())
                on conflict (room) do update
                  set user_id = excluded.user_id, used_at = clock_timestamp()
                  where r.closed_until <= clock_timestamp()
                """)
            .with(room, user)
            .update();
    if (noted == 0) {
      throw new RoomClosed(room);
    }
  }

  /** Has a room that was not asked for in the end removed in the next round, if Janus made it. */
  void removeSoon(Tx tx, String room) {
    int _ = tx.sql("update janus_rooms set used_at = 'epoch' where room = ?").with(room).update();
  }

  /** Rooms that may be removed, the longest unused first. */
  List<String> unused(int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select r.room from janus_rooms r where "
                        + UNUSED
                        + " order by r.used_at limit ?")
                .with(UNUSED_MAX, EgressFeature.TYPE, limit)
                .list(row -> row.text("room")));
  }

  /**
   * Closes a room for its removal; false if it may not be removed any more, or another server does
   * it. It counts as used now, so that others are looked at before it again.
   */
  boolean close(String room) {
    return database.read(
            tx ->
                tx.sql(
                        "update janus_rooms r set used_at = clock_timestamp(), closed_until ="
                            + " clock_timestamp() + ?::float8 * interval '1 millisecond'"
                            + " where r.room = ? and "
                            + UNUSED)
                    .with(CLOSED_MAX, room, UNUSED_MAX, EgressFeature.TYPE)
                    .update())
        > 0;
  }

  /** Opens a room that stays. */
  void open(String room) {
    int _ =
        database.read(
            tx ->
                tx.sql("update janus_rooms set closed_until = '-infinity' where room = ?")
                    .with(room)
                    .update());
  }

  /** Deletes the row of a closed room that Janus has no more. */
  void forget(String room) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        "delete from janus_rooms"
                            + " where room = ? and closed_until > clock_timestamp()")
                    .with(room)
                    .update());
  }
}
