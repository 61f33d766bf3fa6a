package io.convoke.bench.bots;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.report.MeasuredSample;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * The reference of a start request: so many callers, each with a connection of its own, insert one
 * meeting row in a transaction and commit, with nothing else around it.
 */
final class BareInsert implements AutoCloseable {
  private static final String INSERT =
      """
      insert into convoke.meetings
        (user_id, platform, platform_specific_id, status, connection_id, tracked)
      values (?, 'daily', ?, 'completed', ?, false)
      """;

  private final List<Connection> connections = new ArrayList<>();
  private final long user;

  BareInsert(BenchEnvironment environment, int callers) throws SQLException {
    user = environment.number("select min(id) from convoke.users");
    for (int i = 0; i < callers; i++) {
      Connection connection = environment.connect();
      connection.setAutoCommit(false);
      connections.add(connection);
    }
  }

  MeasuredSample drive(Duration span) throws InterruptedException, ExecutionException {
    long start = System.nanoTime();
    long end = start + span.toNanos();
    Histogram times = MeasuredSample.histogram();
    try (ExecutorService threads = Executors.newFixedThreadPool(connections.size())) {
      List<Future<Histogram>> all =
          connections.stream().map(one -> threads.submit(() -> drive(one, end))).toList();
      for (Future<Histogram> one : all) {
        times.add(one.get());
      }
    }
    return MeasuredSample.of(times, 0, Duration.ofNanos(System.nanoTime() - start));
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : connections) {
      connection.close();
    }
  }

  private Histogram drive(Connection connection, long end) throws SQLException {
    Histogram times = MeasuredSample.histogram();
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      for (long begun = System.nanoTime(); begun < end; begun = System.nanoTime()) {
        String id = UUID.randomUUID().toString();
        insert.setLong(1, user);
        insert.setString(2, id);
        insert.setString(3, id);
        int _ = insert.executeUpdate();
        connection.commit();
        times.recordValue(System.nanoTime() - begun);
      }
    }
    return times;
  }
}
