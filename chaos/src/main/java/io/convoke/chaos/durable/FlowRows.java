package io.convoke.chaos.durable;

import io.convoke.chaos.SqlReader;
import io.convoke.chaos.durable.rules.EventRow;
import io.convoke.chaos.durable.rules.FlowHistory.EffectRow;
import io.convoke.chaos.durable.rules.FlowHistory.ExecutionRow;
import io.convoke.chaos.durable.rules.FlowHistory.InstanceRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the engine's and the effects' tables directly from the database. */
final class FlowRows implements AutoCloseable {
  private final Connection connection;

  /** Uses a connection that no fault cuts, and closes it. */
  FlowRows(Connection connection) throws SQLException {
    this.connection = connection;
    run("set application_name = 'chaos'");
  }

  /** Tables that activities write to. */
  void prepare() throws SQLException {
    run(
        """
        create table effects (
          key text primary key, flow text not null, number integer not null,
          amount bigint not null, at timestamptz not null default clock_timestamp());
        create table sums (flow text primary key, amount bigint not null)
        """);
  }

  /** Terminates each other connection with a probability. */
  void cutConnections(int percent) throws SQLException {
    List<Boolean> _ =
        list(
            """
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name <> 'chaos'
              and random() * 100 < %d
            """
                .formatted(percent),
            row -> row.getBoolean(1));
  }

  /** The number of the node that listens on one of these ports, if any does. */
  Optional<Integer> number(List<Integer> ports) throws SQLException {
    String those = ports.stream().map(Object::toString).collect(Collectors.joining(","));
    return ports.isEmpty()
        ? Optional.empty()
        : list(
                """
                select l.objid::bigint from pg_locks l join pg_stat_activity a on a.pid = l.pid
                where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
                  and a.client_port in (%s)
                """
                    .formatted(those),
                row -> row.getInt(1))
            .stream()
            .findFirst();
  }

  /** Keys of the work items locked by a node. */
  List<String> held(int number) throws SQLException {
    return list(
        """
        select instance_id || '/' || execution_id || '/' || activity_id from worker_queue
        where lock_token like '%d.%%' and locked_until > clock_timestamp()
        """
            .formatted(number),
        row -> row.getString(1));
  }

  /** Number of unfinished instances, and of all. */
  long open() throws SQLException {
    return list(
            """
            select count(*) from instances i
            where not exists (
              select from executions e
              where e.instance_id = i.instance_id and e.execution_id = i.current_execution_id
                and e.status in ('Completed', 'Failed'))
            """,
            row -> row.getLong(1))
        .getFirst();
  }

  List<InstanceRow> instances() throws SQLException {
    return list(
        "select instance_id, current_execution_id from instances order by 1",
        row -> new InstanceRow(row.getString(1), row.getLong(2)));
  }

  List<ExecutionRow> executions() throws SQLException {
    return list(
        "select instance_id, execution_id, status, output from executions order by 1, 2",
        row ->
            new ExecutionRow(
                row.getString(1),
                row.getLong(2),
                row.getString(3),
                Optional.ofNullable(row.getString(4))));
  }

  List<EventRow> events() throws SQLException {
    return list(
        """
        select instance_id, execution_id, event_id, event_type, created_at,
          d ->> 'order', d -> 'result' ->> 'attempt', (d ->> 'at')::timestamptz,
          (d ->> 'fire_at')::timestamptz
        from (select *, event_data::jsonb as d from history) h
        order by instance_id, execution_id, event_id
        """,
        row ->
            new EventRow(
                row.getString(1),
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                row.getTimestamp(5).toInstant(),
                Optional.ofNullable(row.getString(6)).map(Long::valueOf),
                Optional.ofNullable(row.getString(7)).map(Integer::valueOf),
                instant(row.getTimestamp(8)),
                instant(row.getTimestamp(9))));
  }

  List<EffectRow> bookings() throws SQLException {
    return list(
        "select key, flow, number, amount from effects order by key",
        row -> new EffectRow(row.getString(1), row.getString(2), row.getInt(3), row.getLong(4)));
  }

  Map<String, Long> sums() throws SQLException {
    Map<String, Long> sums = new HashMap<>();
    List<Long> _ =
        list(
            "select flow, amount from sums",
            row -> {
              sums.put(row.getString(1), row.getLong(2));
              return row.getLong(2);
            });
    return sums;
  }

  /** Queued or locked rows, as text. */
  List<String> left() throws SQLException {
    return list(
        """
        select 'a message for ' || instance_id || ' is queued, ' || attempt_count || ' attempts, '
            || coalesce('locked by ' || lock_token || ' until ' || locked_until, 'not locked')
            || ': ' || left(work_item, 120)
          from orchestrator_queue
        union all
        select 'work of ' || instance_id || '/' || execution_id || '/' || activity_id
            || ' is queued, ' || attempt_count || ' attempts, '
            || coalesce('locked by ' || lock_token || ' until ' || locked_until, 'not locked')
          from worker_queue
        union all
        select instance_id || ' is locked by ' || lock_token || ' until ' || locked_until
          from instances where lock_token is not null
        """,
        row -> row.getString(1));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  private <T> List<T> list(String sql, SqlReader.SqlRowReader<T> reader) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("set search_path = durable, public");
    }
    return SqlReader.list(connection, sql, reader);
  }

  private static Optional<Instant> instant(@Nullable Timestamp timestamp) {
    return Optional.ofNullable(timestamp).map(Timestamp::toInstant);
  }
}
