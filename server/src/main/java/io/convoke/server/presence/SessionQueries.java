package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.presence.merge.ChangeSource;
import io.convoke.server.presence.merge.MergeDecision;
import io.convoke.server.presence.merge.MergeDecision.MovedSession;
import io.convoke.server.presence.merge.ParticipantSession;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The SQL of {@code participant_sessions}, for the caller to send. */
final class SessionQueries {

  /**
   * Every open session, and every session of the given session ids; rows are read by {@link
   * #session}.
   */
  Query known(Tx tx, long meeting, Collection<String> mentioned) {
    return tx.sql(
            """
            select session_id, user_id, user_name, joined_at, left_at, join_source, leave_source,
                   last_seen_at, absent_since, hidden
            from participant_sessions
            where meeting_id = ? and (left_at is null or session_id = any(?))
            """)
        .with(meeting, mentioned.toArray(String[]::new));
  }

  /**
   * The writes of a decision: corrected start times, a batch close, a batch upsert and the count,
   * one statement each.
   */
  List<Query> write(Tx tx, long meeting, MergeDecision mergeDecision) {
    List<Query> queries = new ArrayList<>();
    if (!mergeDecision.moved().isEmpty()) {
      queries.add(move(tx, meeting, mergeDecision.moved()));
    }
    // Closes come before upserts: a session id has at most one open row.
    if (!mergeDecision.closes().isEmpty()) {
      queries.add(close(tx, meeting, mergeDecision.closes()));
    }
    if (!mergeDecision.upserts().isEmpty()) {
      queries.add(upsert(tx, meeting, mergeDecision.upserts()));
    }
    queries.add(count(tx, meeting));
    return queries;
  }

  /** Corrects start times, which are part of the key that the other statements use. */
  private static Query move(Tx tx, long meeting, List<MovedSession> moved) {
    return tx.sql(
            """
            update participant_sessions s
            set joined_at = x.joined_at, join_source = x.join_source,
                left_at = case when s.left_at is not null then greatest(s.left_at, x.joined_at) end,
                last_seen_at = greatest(s.last_seen_at, x.joined_at)
            from jsonb_to_recordset(?::jsonb) as x
              (session_id text, written timestamptz, joined_at timestamptz, join_source text)
            where s.meeting_id = ? and s.session_id = x.session_id and s.joined_at = x.written
            """)
        .with(
            Json.tree(
                moved.stream()
                    .map(
                        it ->
                            Map.of(
                                "session_id", it.session().sessionId(),
                                "written", it.from().toString(),
                                "joined_at", it.session().joinedAt().toString(),
                                "join_source", it.session().joinedSource().text()))
                    .toList()),
            meeting);
  }

  /** The batch upsert: one statement, whatever the number of sessions. */
  private static Query upsert(Tx tx, long meeting, List<ParticipantSession> sessions) {
    return tx.sql(
            """
            insert into participant_sessions as s
              (meeting_id, session_id, user_id, user_name, joined_at, left_at, join_source,
               leave_source, last_seen_at, absent_since, hidden)
            select ?, x.session_id, x.user_id, x.user_name, x.joined_at, x.left_at,
                   x.join_source, x.leave_source, coalesce(x.last_seen_at, x.joined_at),
                   x.absent_since, x.hidden
            from jsonb_to_recordset(?::jsonb) as x
              (session_id text, user_id text, user_name text, joined_at timestamptz,
               left_at timestamptz, join_source text, leave_source text,
               last_seen_at timestamptz, absent_since timestamptz, hidden boolean)
            on conflict (meeting_id, session_id, joined_at) do update set
              user_id = excluded.user_id, user_name = excluded.user_name,
              left_at = excluded.left_at, leave_source = excluded.leave_source,
              last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
              absent_since = excluded.absent_since, hidden = excluded.hidden
            """)
        .with(meeting, json(sessions));
  }

  /** The batch close: one statement, whatever the number of sessions. */
  private static Query close(Tx tx, long meeting, List<ParticipantSession> sessions) {
    return tx.sql(
            """
            update participant_sessions s
            set left_at = x.left_at, leave_source = x.leave_source,
                user_id = x.user_id, user_name = x.user_name
            from jsonb_to_recordset(?::jsonb) as x
              (session_id text, joined_at timestamptz, left_at timestamptz, leave_source text,
               user_id text, user_name text)
            where s.meeting_id = ? and s.session_id = x.session_id
              and s.joined_at = x.joined_at
            """)
        .with(json(sessions), meeting);
  }

  /** Derives the count from the rows, in the transaction that wrote them. */
  private static Query count(Tx tx, long meeting) {
    return tx.sql(
            """
            update meetings m set num_clients = open.number
            from (
              select count(*)::integer as number from participant_sessions
              where meeting_id = ? and left_at is null
            ) open
            where m.id = ? and m.num_clients <> open.number
            """)
        .with(meeting, meeting);
  }

  private static JsonNode json(List<ParticipantSession> sessions) {
    return Json.tree(sessions.stream().map(SessionQueries::fields).toList());
  }

  /** Times in full precision: {@code joined_at} is part of the key. */
  private static Map<String, @Nullable Object> fields(ParticipantSession session) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("session_id", session.sessionId());
    fields.put("user_id", session.userId().orElse(null));
    fields.put("user_name", session.userName().orElse(null));
    fields.put("joined_at", session.joinedAt().toString());
    fields.put("left_at", session.leftAt().map(Instant::toString).orElse(null));
    fields.put("join_source", session.joinedSource().text());
    fields.put("leave_source", session.leftSource().map(ChangeSource::text).orElse(null));
    fields.put("last_seen_at", session.lastSeenAt().map(Instant::toString).orElse(null));
    fields.put("absent_since", session.absentSince().map(Instant::toString).orElse(null));
    fields.put("hidden", session.hidden());
    return fields;
  }

  static ParticipantSession session(ResultRow resultRow) {
    Optional<Instant> absentSince = resultRow.maybeInstant("absent_since");
    return new ParticipantSession(
        resultRow.text("session_id"),
        resultRow.maybeText("user_id"),
        resultRow.maybeText("user_name"),
        resultRow.instant("joined_at"),
        resultRow.maybeInstant("left_at"),
        ChangeSource.of(resultRow.text("join_source")),
        resultRow.maybeText("leave_source").map(ChangeSource::of),
        // Written only from the first absence on; before it the last snapshot is more recent.
        absentSince.isPresent() ? resultRow.maybeInstant("last_seen_at") : Optional.empty(),
        absentSince,
        resultRow.booleanAt("hidden"));
  }
}
