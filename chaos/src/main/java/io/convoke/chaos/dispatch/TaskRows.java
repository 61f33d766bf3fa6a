package io.convoke.chaos.dispatch;

import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads the task table and the journal directly from the database. */
final class TaskRows implements AutoCloseable {
  private final LastingConnection connection;

  TaskRows(LastingConnection connection) {
    this.connection = connection;
  }

  Connection connection() throws SQLException {
    return connection.open();
  }

  /** Number of tasks that have not ended. */
  long open() throws SQLException {
    return connection
        .list(
            "select count(*) from convoke.tasks where completed_at is null", row -> row.getLong(1))
        .getFirst();
  }

  List<TaskRow> tasks() throws SQLException {
    return connection.list(
        """
        select id, request_id, channel, coalesce(spec ->> 'unique' = 'channel', false), state,
               attempt, desired = 'stop', error, created_at, completed_at
        from convoke.tasks order by created_at, id
        """,
        row ->
            new TaskRow(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getBoolean(4),
                row.getString(5),
                row.getInt(6),
                row.getBoolean(7),
                row.getString(8),
                row.getTimestamp(9).toInstant(),
                Optional.ofNullable(row.getTimestamp(10)).map(Timestamp::toInstant)));
  }

  List<ObservedTransition> transitions() throws SQLException {
    return connection.list(
        """
        select seq, type, data ->> 'task_id', data ->> 'state', (data ->> 'attempt')::int,
               data ->> 'pod_id', coalesce(data ->> 'error', ''), data ->> 'moved_at',
               data ->> 'pending_at'
        from convoke.events where type like 'task.%' order by seq
        """,
        row ->
            new ObservedTransition(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                Optional.ofNullable(row.getString(6)),
                row.getString(7),
                Instant.parse(row.getString(8)),
                Optional.ofNullable(row.getString(9)).map(Instant::parse)));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
