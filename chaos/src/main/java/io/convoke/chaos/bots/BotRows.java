package io.convoke.chaos.bots;

import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the servers' rows about bots directly from the database. */
final class BotRows implements AutoCloseable {
  /** Every table with data about bots. */
  private static final List<String> TABLES =
      List.of(
          "meetings",
          "meeting_sessions",
          "participant_sessions",
          "events",
          "post_meeting",
          "bot_commands",
          "bot_launches",
          "transcriptions",
          "chat_messages");

  private final LastingConnection connection;

  BotRows(LastingConnection connection) {
    this.connection = connection;
  }

  List<BotEndState> bots() throws SQLException {
    return connection.list(
        """
        select m.id, m.user_id, m.platform_specific_id, m.status, m.connection_id, m.start_time,
          m.admitted_at, m.end_time, m.stop_requested_at, m.data -> 'outcome' ->> 'reason',
          (select count(*) from convoke.post_meeting p where p.meeting_id = m.id)
        from convoke.meetings m where not m.tracked order by m.id
        """,
        row ->
            new BotEndState(
                row.getLong(1),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                instant(row.getTimestamp(6)),
                instant(row.getTimestamp(7)),
                instant(row.getTimestamp(8)),
                instant(row.getTimestamp(9)),
                Optional.ofNullable(row.getString(10)),
                row.getInt(11),
                BotScenarioKind.of(row.getString(3)).honest()));
  }

  List<BotTransition> transitions() throws SQLException {
    return connection.list(
        """
        select seq, (data ->> 'meeting_id')::bigint, user_id, coalesce(data ->> 'from', ''),
          data ->> 'to', data ->> 'reason', data ->> 'actor', (data ->> 'at')::timestamptz,
          coalesce(data -> 'evidence' ->> 'found', '')
        from convoke.events where type = 'meeting.status_changed' order by seq
        """,
        row ->
            new BotTransition(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getTimestamp(8).toInstant(),
                row.getString(9)));
  }

  /** Stored transcript lines of meetings, as {@code meeting text}. */
  Set<String> transcriptLines() throws SQLException {
    return Set.copyOf(
        connection.list(
            "select distinct meeting_id, text from convoke.transcriptions",
            row -> row.getLong(1) + " " + row.getString(2)));
  }

  /** Segments in events, each with its session, as often as events have it. */
  List<String> publishedSegments() throws SQLException {
    return connection.list(
        """
        select subject, data ->> 'session_uid', segment::text
        from convoke.events, jsonb_array_elements(data -> 'segments') segment
        where type = 'transcript.segments' order by seq
        """,
        row -> row.getString(1) + " " + row.getString(2) + " " + row.getString(3));
  }

  Connection connection() throws SQLException {
    return connection.open();
  }

  /** Every row about bots as text, by table. */
  Map<String, List<String>> everything() throws SQLException {
    Map<String, List<String>> all = new TreeMap<>();
    for (String table : TABLES) {
      all.put(
          table,
          connection.list(
              "select t::text from convoke." + table + " t order by 1", row -> row.getString(1)));
    }
    return all;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  private static Optional<Instant> instant(@Nullable Timestamp time) {
    return Optional.ofNullable(time).map(Timestamp::toInstant);
  }
}
