package io.convoke.server.simulator;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The stored rows on the simulator's rooms.
 *
 * @param followed live meetings, at most {@link #MEETINGS_MAX}
 * @param stays their sessions that are open or ended lately
 * @param recordings those of the given ids that are stored
 */
record StoredState(
    List<FollowedRoom> followed, List<StoredSession> stays, List<String> recordings) {
  static final int MEETINGS_MAX = 2_000;

  /**
   * A room with a live meeting.
   *
   * @param people the meeting's participant count
   * @param open number of its open sessions at the same time
   */
  record FollowedRoom(long meetingId, String room, int people, int open, Instant since) {}

  /** One session in a followed room. */
  record StoredSession(
      long meetingId, String sessionId, Instant joinedAt, Optional<Instant> leftAt) {}

  /** Reads the rows; values that must be consistent come from one statement. */
  static StoredState read(Database database, Instant lately, Collection<String> recordings) {
    return database.read(
        tx -> new StoredState(followed(tx), stays(tx, lately), recordings(tx, recordings)));
  }

  private static List<FollowedRoom> followed(Tx tx) {
    return tx.sql(
            """
            select id, platform_specific_id, num_clients, state_entered_at,
                   (select count(*)::integer from participant_sessions
                    where meeting_id = m.id and left_at is null) as open
            from meetings m
            where platform = 'daily' and status in ('starting', 'active', 'stopping')
            order by id desc limit ?
            """)
        .with(MEETINGS_MAX)
        .list(
            resultRow ->
                new FollowedRoom(
                    resultRow.longAt("id"),
                    resultRow.text("platform_specific_id"),
                    resultRow.intAt("num_clients"),
                    resultRow.intAt("open"),
                    resultRow.instant("state_entered_at")));
  }

  private static List<StoredSession> stays(Tx tx, Instant lately) {
    return tx.sql(
            """
            select s.meeting_id, s.session_id, s.joined_at, s.left_at
            from participant_sessions s join meetings m on m.id = s.meeting_id
            where m.platform = 'daily' and m.status in ('starting', 'active', 'stopping')
              and (s.left_at is null or s.left_at > ?)
            """)
        .with(lately)
        .list(
            resultRow ->
                new StoredSession(
                    resultRow.longAt("meeting_id"),
                    resultRow.text("session_id"),
                    resultRow.instant("joined_at"),
                    resultRow.maybeInstant("left_at")));
  }

  private static List<String> recordings(Tx tx, Collection<String> ids) {
    return tx.sql("select recording_id from recordings where recording_id = any(?)")
        .with((Object) ids.toArray(String[]::new))
        .list(resultRow -> resultRow.text("recording_id"));
  }
}
