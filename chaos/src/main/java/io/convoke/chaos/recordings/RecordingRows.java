package io.convoke.chaos.recordings;

import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.SqlReader;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingTransition;
import io.convoke.chaos.recordings.rules.RecordingHistory.RowChange;
import io.convoke.chaos.recordings.rules.RecordingHistory.StepRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncTransition;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the servers' rows about recordings directly from the database; a trigger logs every change.
 */
final class RecordingRows implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final LastingConnection connection;

  RecordingRows(LastingConnection connection) {
    this.connection = connection;
  }

  Connection connection() throws SQLException {
    return connection.open();
  }

  /** Logs every change from now on. */
  void prepare() throws SQLException, IOException {
    try (InputStream sql = RecordingRows.class.getResourceAsStream("notes.sql");
        Statement statement = connection.open().createStatement()) {
      boolean _ =
          statement.execute(
              new String(Objects.requireNonNull(sql).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * Slows down commits that complete this step from now on, of one recording or of all; without a
   * step it turns that off.
   */
  synchronized void slow(Optional<String> step, Optional<String> recording) throws SQLException {
    try (Statement statement = connection.open().createStatement()) {
      boolean _ = statement.execute("delete from chaos.slow");
      if (step.isPresent()) {
        String one = recording.map(id -> "'" + id + "'").orElse("null");
        boolean _ =
            statement.execute(
                "insert into chaos.slow values ('%s', %s)".formatted(step.get(), one));
      }
    }
  }

  /** Backends in a slowed commit. */
  List<Integer> committing() throws SQLException {
    return list(
        "select pid from pg_stat_activity where wait_event = 'PgSleep'", row -> row.getInt(1));
  }

  /** Terminates a backend, and thereby rolls back its transaction. */
  void abort(int backend) throws SQLException {
    List<Boolean> _ =
        list("select pg_terminate_backend(" + backend + ")", row -> row.getBoolean(1));
  }

  /** Sequence of the last change. */
  long last() throws SQLException {
    return list("select coalesce(max(seq), 0) from chaos.changes", row -> row.getLong(1))
        .getFirst();
  }

  /** Whether a recording has reached a state of a step since, this one or any. */
  boolean reached(long since, String step, String state, Optional<String> recording)
      throws SQLException {
    return list(
            """
            select count(*) from chaos.changes
            where seq > %d and chaos.state(steps, '%s') = '%s' and ('%s' in (id, ''))
            """
                .formatted(since, step, state, recording.orElse("")),
            row -> row.getLong(1) > 0)
        .getFirst();
  }

  /**
   * Recordings on which a user may act, by status; failed ones with their reason. One that outlasts
   * its meeting waits once the meeting's note was left to it.
   */
  record WaitingRecordings(String id, String status, String reason, Optional<Long> meeting) {}

  List<WaitingRecordings> waiting() throws SQLException {
    return list(
        """
        select recording_id, status, coalesce(reason, ''), meeting_id from convoke.recordings r
        where deleted_at is null and (status in ('unmatched', 'failed')
          or (status = 'done' and run = 1)
          or (status = 'in_progress' and not exists (
            select from convoke.meetings m
            left join convoke.meeting_syncs s on s.meeting_id = m.id
            where m.id = r.meeting_id and m.end_time is not null
              and s.status is distinct from 'recorded'))) order by 1
        """,
        row ->
            new WaitingRecordings(
                row.getString(1), row.getString(2), row.getString(3), number(row, 4)));
  }

  /** Number of recordings in a terminal state. */
  long over() throws SQLException {
    return list(
            """
            select count(*) from convoke.recordings
            where deleted_at is null
              and status in ('done', 'failed', 'cancelled', 'empty', 'given_up')
            """,
            row -> row.getLong(1))
        .getFirst();
  }

  /** Whether the first listing is complete. */
  boolean listed() throws SQLException {
    return list(
            "select count(*) from convoke.recording_listing where listed_at is not null",
            row -> row.getLong(1) > 0)
        .getFirst();
  }

  List<RecordingEndState> rows() throws SQLException {
    return list(
        """
        select recording_id, status, run, meeting_id, steps,
          coalesce((select array_agg(t.text order by t.meeting_id, t.start_time, t.id)
            from convoke.transcriptions t
            where t.session_uid = 'recording:' || r.recording_id), '{}'),
          blob_key, blob_size, blob_sha256
        from convoke.recordings r where deleted_at is null order by 1
        """,
        row ->
            new RecordingEndState(
                row.getString(1),
                row.getString(2),
                row.getInt(3),
                number(row, 4),
                steps(row.getString(5)),
                texts(row.getArray(6)),
                row.getString(7) != null
                    ? Optional.of(
                        new RecordingEndState.RecordingBlob(row.getLong(8), row.getString(9)))
                    : Optional.empty()));
  }

  /** How often a line stands in transcripts and events. */
  long mentions(String line) throws SQLException {
    return list(
            """
            select (select count(*) from convoke.transcriptions where text = '%s')
              + (select count(*) from convoke.events where strpos(data::text, '%s') > 0)
            """
                .formatted(line, line),
            row -> row.getLong(1))
        .getFirst();
  }

  /** Changes by sequence, which for one row is commit order. */
  List<RowChange> changes() throws SQLException {
    return list(
        """
        select distinct on (first, txid, id) seq, id, status, run, epoch, steps, words, sha256,
          documents, told
        from (select *, min(seq) over (partition by txid, id) as first from chaos.changes) as c
        order by first, txid, id, seq
        """,
        row ->
            new RowChange(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getInt(4),
                row.getLong(5),
                steps(row.getString(6)),
                texts(row.getArray(7)),
                Optional.ofNullable(row.getString(8)),
                Set.copyOf(texts(row.getArray(9))),
                syncStatuses(row.getString(10))));
  }

  List<RecordingTransition> transitions() throws SQLException {
    return list(
        """
        select seq, data ->> 'recording_id', data ->> 'from', data ->> 'to',
          (data ->> 'run')::int, (data ->> 'meeting_id')::bigint,
          coalesce((data ->> 'user_id')::bigint = user_id or user_id is null, false)
            and data ->> 'reason' <> '' and data ->> 'event' <> '' and data ->> 'actor' <> ''
        from convoke.events where type = 'recording.status_changed' order by seq
        """,
        row ->
            new RecordingTransition(
                row.getLong(1),
                row.getString(2),
                Optional.ofNullable(row.getString(3)),
                row.getString(4),
                row.getInt(5),
                number(row, 6),
                row.getBoolean(7)));
  }

  List<SyncTransition> syncMoves() throws SQLException {
    return list(
        """
        select seq, (data ->> 'meeting_id')::bigint, (data ->> 'version')::bigint,
          data ->> 'from', data ->> 'to', (data ->> 'attempts')::bigint
        from convoke.events where type = 'sync.status_changed' order by seq
        """,
        row ->
            new SyncTransition(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6)));
  }

  List<SyncRow> syncs() throws SQLException {
    return list(
        "select meeting_id::bigint, status, version, attempts from convoke.sync_status order by 1",
        row -> new SyncRow(row.getLong(1), row.getString(2), row.getLong(3), row.getLong(4)));
  }

  /**
   * Meetings with people that are over, and whose recordings were all deleted before they were
   * worked on.
   */
  Set<Long> unrecorded() throws SQLException {
    return Set.copyOf(
        list(
            """
            select m.id from convoke.meetings m join convoke.recordings r on r.meeting_id = m.id
            where m.end_time is not null and exists (
              select from convoke.participant_sessions p where p.meeting_id = m.id)
            group by m.id having bool_and(r.deleted_at is not null and r.run = 0)
            """,
            row -> row.getLong(1)));
  }

  /** Workflows of recordings that have not ended. */
  List<String> openWorkflows() throws SQLException {
    return list(
        """
        select i.instance_id from durable.instances i
        where i.instance_id like 'recording-%' and not exists (
          select from durable.executions e
          where e.instance_id = i.instance_id and e.execution_id = i.current_execution_id
            and e.status in ('Completed', 'Failed'))
        order by 1
        """,
        row -> "workflow " + row.getString(1) + " has not ended");
  }

  /** Keys of blobs that are parts of recordings, or are to be deleted. */
  Set<String> parts() throws SQLException {
    return Set.copyOf(
        list(
            "select blob_key from convoke.recording_parts"
                + " union select blob_key from convoke.blobs_to_delete",
            row -> row.getString(1)));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  private <T> List<T> list(String sql, SqlReader.SqlRowReader<T> reader) throws SQLException {
    return connection.list(sql, reader);
  }

  private static Optional<Long> number(ResultSet row, int column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(number);
  }

  private static List<String> texts(Array array) throws SQLException {
    return List.of((String[]) array.getArray());
  }

  private static List<StepRow> steps(String json) {
    List<StepRow> steps = new ArrayList<>();
    for (JsonNode one : JSON.readTree(json)) {
      steps.add(
          new StepRow(
              one.path("name").asString(),
              one.path("state").asString(),
              one.path("attempts").asInt()));
    }
    return List.copyOf(steps);
  }

  private static Map<String, String> syncStatuses(String json) {
    Map<String, String> syncStatuses = new HashMap<>();
    for (JsonNode one : JSON.readTree(json)) {
      syncStatuses.put(one.path("step").asString(), one.path("status").asString());
    }
    return Map.copyOf(syncStatuses);
  }
}
