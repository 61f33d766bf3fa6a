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
import java.util.Objects;
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

  /** Ids of the meetings with this condition, newest first. */
  List<String> ids(String condition) throws SQLException {
    return texts(
        "select m.id::text from convoke.meetings m where " + condition + " order by m.id desc");
  }

  /** Sequences of the events that a meeting's timeline shows. */
  List<String> timeline(String meeting) throws SQLException {
    return texts(
        "select e.seq::text from convoke.events e where subject = 'meeting:"
            + meeting
            + "' and type <> 'transcript.segments' order by e.seq");
  }

  /** Sequences of all events of a meeting. */
  List<String> events(String meeting) throws SQLException {
    return texts(
        "select e.seq::text from convoke.events e where subject = 'meeting:"
            + meeting
            + "' order by e.seq");
  }

  /** Commands of which events say that they were acknowledged. */
  List<String> acknowledged() throws SQLException {
    return texts(
        "select data ->> 'command_id' from convoke.events"
            + " where type = 'bot.command_acknowledged'");
  }

  /** Reasons of ends, each with who is responsible. */
  Map<String, String> reasons() throws SQLException {
    Map<String, String> reasons = new TreeMap<>();
    connection
        .list(
            """
            select distinct data -> 'outcome' ->> 'reason', data -> 'outcome' ->> 'attribution'
            from convoke.meetings where data -> 'outcome' ->> 'reason' is not null
            """,
            row -> Map.entry(row.getString(1), Objects.toString(row.getString(2))))
        .forEach(
            it -> reasons.merge(it.getKey(), it.getValue(), (one, other) -> one + ", " + other));
    return reasons;
  }

  /** Bots whose times or stage are not those of their transitions. */
  List<String> wrongTimes() throws SQLException {
    return texts(
        """
        with moves as (
          select (data ->> 'meeting_id')::bigint as id,
            min(data ->> 'at') filter (where data ->> 'to' = 'starting') as started,
            min(data ->> 'at') filter (where data ->> 'to' = 'active') as joined,
            max(data ->> 'at') filter (where data ->> 'to' in ('completed', 'failed')) as ended,
            max(data ->> 'from') filter (where data ->> 'to' in ('completed', 'failed')) as stage
          from convoke.events where type = 'meeting.status_changed' group by 1)
        select m.id || ' ' || m.status from convoke.meetings m join moves using (id)
        where not m.tracked and (
          not coalesce(abs(extract(epoch from m.start_time - started::timestamptz)) < 1,
                       m.start_time is null and started is null)
          or not coalesce(abs(extract(epoch from m.admitted_at - joined::timestamptz)) < 1,
                          m.admitted_at is null and joined is null)
          or not coalesce(abs(extract(epoch from m.end_time - ended::timestamptz)) < 1,
                          m.end_time is null and ended is null)
          or m.data -> 'outcome' ->> 'stage' is distinct from stage)
        """);
  }

  /** Bots that were stopped and ended after it for another reason of their own. */
  List<String> wrongReasons() throws SQLException {
    return texts(
        """
        select m.id || ' ' || (data -> 'outcome' ->> 'reason') from convoke.meetings m
        where not tracked and end_time > stop_requested_at + interval '100 ms'
          and data -> 'outcome' ->> 'stage' <> 'reserved'
          and data -> 'outcome' ->> 'reason' in (
            'crashed', 'vanished', 'meeting_ended', 'not_admitted', 'no_one_joined',
            'everyone_left', 'left_alone', 'self_initiated_leave', 'normal_completion')
        """);
  }

  /** Events of another user than that of their meeting. */
  List<String> wrongEvents() throws SQLException {
    return texts(
        """
        select e.seq || ' ' || e.type from convoke.events e
        join convoke.meetings m on e.subject = 'meeting:' || m.id
        where e.user_id is distinct from m.user_id
          or coalesce(e.data ->> 'meeting_id', m.id::text) <> m.id::text
        """);
  }

  /** What the status of each bot must show. */
  Map<Long, String> statuses() throws SQLException {
    return byId(
        """
        select m.id, concat_ws(' ', status, connection_id, attempt,
          case when stop_requested_at is null then 'run' else 'stop' end, '- -',
          '[' || coalesce((select string_agg(c.id, ', ' order by c.created_at, c.id)
                           from convoke.bot_commands c
                           where c.connection_id = m.connection_id and c.acked_at is null), '')
          || ']')
        from convoke.meetings m where not tracked
        """);
  }

  /** What each meeting must show. */
  Map<Long, String> meetings() throws SQLException {
    return byId(
        """
        select id, concat_ws(' ', user_id, platform, platform_specific_id, status,
          coalesce(to_char(start_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '-'),
          coalesce(to_char(end_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '-'),
          coalesce(bot_container_id, '-'), platform_specific_id,
          coalesce(data -> 'outcome' ->> 'reason', '-'),
          coalesce(data -> 'outcome' ->> 'attribution', '-'),
          coalesce(data -> 'outcome' ->> 'exit_code', '-'),
          coalesce(data -> 'outcome' ->> 'stage', '-'))
        from convoke.meetings where not tracked
        """);
  }

  /** The texts of each transcript. */
  Map<Long, String> transcripts() throws SQLException {
    return byId(
        """
        select meeting_id, '[' || string_agg(text, ', ' order by text collate "C") || ']'
        from convoke.transcriptions group by 1
        """);
  }

  private List<String> texts(String sql) throws SQLException {
    return connection.list(sql, row -> row.getString(1));
  }

  private Map<Long, String> byId(String sql) throws SQLException {
    Map<Long, String> all = new TreeMap<>();
    connection
        .list(sql, row -> Map.entry(row.getLong(1), row.getString(2)))
        .forEach(it -> all.put(it.getKey(), it.getValue()));
    return all;
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
