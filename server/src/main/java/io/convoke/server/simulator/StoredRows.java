package io.convoke.server.simulator;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The stored rows on the simulator's rooms, as the simulator compares them with its state.
 *
 * @param at a time before they were read
 * @param since start of the compared period
 * @param started when this server started
 * @param presenceBoundMs maximum staleness of presence, when every webhook is lost
 * @param recordingsBoundMs maximum staleness of the list of recordings
 * @param rooms live meetings, at most {@link #MEETINGS_MAX}
 * @param sessions their sessions that are open or ended in the period
 * @param recordings ids of those that are in progress or changed in the period
 */
record StoredRows(
    Instant at,
    Instant since,
    Instant started,
    long presenceBoundMs,
    long recordingsBoundMs,
    List<FollowedRoom> rooms,
    List<StoredSession> sessions,
    List<String> recordings) {
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

  /** How long a difference may last. */
  record StalenessBounds(Duration presence, Duration recordings) {}

  /** Reads the rows; values that must be consistent come from one statement. */
  static StoredRows read(
      Database database, Instant now, Instant since, Instant started, StalenessBounds bounds) {
    return database.read(
        tx ->
            new StoredRows(
                now,
                since,
                started,
                bounds.presence().toMillis(),
                bounds.recordings().toMillis(),
                followed(tx),
                sessions(tx, since),
                recordings(tx, since)));
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

  private static List<StoredSession> sessions(Tx tx, Instant since) {
    return tx.sql(
            """
            select s.meeting_id, s.session_id, s.joined_at, s.left_at
            from participant_sessions s join meetings m on m.id = s.meeting_id
            where m.platform = 'daily' and m.status in ('starting', 'active', 'stopping')
              and (s.left_at is null or s.left_at > ?)
            """)
        .with(since)
        .list(
            resultRow ->
                new StoredSession(
                    resultRow.longAt("meeting_id"),
                    resultRow.text("session_id"),
                    resultRow.instant("joined_at"),
                    resultRow.maybeInstant("left_at")));
  }

  private static List<String> recordings(Tx tx, Instant since) {
    return tx.sql(
            "select recording_id from recordings where updated_at > ? or status = 'in_progress'")
        .with(since)
        .list(resultRow -> resultRow.text("recording_id"));
  }
}
