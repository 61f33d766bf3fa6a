package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.report.Counts;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Stores;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What a node asks while there is nothing to do, with few and with many dispatchers. */
final class Idle {
  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final Duration LONG = Duration.ofSeconds(60);

  private Idle() {}

  static Counts measure(Stores stores, BenchSettings settings) throws Exception {
    Duration watched = settings.rounds() < 3 ? settings.span() : LONG;
    List<Counts.Row> rows = new ArrayList<>();
    try (Connection outside = stores.postgres().connect("postgres")) {
      for (int dispatchers : new int[] {4, 256}) {
        String name = "idle_" + dispatchers;
        String url = DurableBenchmark.fresh(stores, name);
        withoutVacuum(outside, "bench_" + name);
        rows.add(
            Counts.Row.of(
                dispatchers + " dispatchers",
                rate(outside, url, "bench_" + name, dispatchers, watched)));
      }
    }
    return new Counts("idle for " + watched.toSeconds() + " s", List.of("transactions/s"), rows);
  }

  private static double rate(
      Connection outside, String url, String database, int dispatchers, Duration watched)
      throws Exception {
    List<Thread> threads = new ArrayList<>();
    try (PostgresProvider provider =
        PostgresProvider.open(DatabaseUrl.parse(url), "durable", LongPollConfig.defaults().on())) {
      for (int i = 0; i < dispatchers; i++) {
        threads.add(Thread.ofVirtual().start(() -> fetch(provider)));
        threads.add(Thread.ofVirtual().start(() -> fetchInstances(provider)));
      }
      LockSupport.parkNanos(SETTLE.toNanos());
      long before = transactions(outside, database);
      LockSupport.parkNanos(watched.toNanos());
      long after = transactions(outside, database);
      threads.forEach(Thread::interrupt);
      for (Thread thread : threads) {
        thread.join();
      }
      return (after - before) / (watched.toNanos() / 1e9);
    }
  }

  private static void fetch(PostgresProvider provider) {
    try {
      while (true) {
        var _ = provider.fetchWorkItem(LONG, Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void fetchInstances(PostgresProvider provider) {
    try {
      while (true) {
        var _ = provider.fetchOrchestrationItem(LONG, Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Counted from another database, whose own transactions are not in the number. */
  private static long transactions(Connection outside, String database) throws SQLException {
    try (PreparedStatement statement =
        outside.prepareStatement(
            "select xact_commit + xact_rollback from pg_stat_database where datname = ?")) {
      statement.setString(1, database);
      try (ResultSet row = statement.executeQuery()) {
        boolean _ = row.next();
        return row.getLong(1);
      }
    }
  }

  /** The vacuum's own transactions are nobody's statements. */
  private static void withoutVacuum(Connection outside, String database) throws SQLException {
    try (Statement statement = outside.createStatement()) {
      boolean _ = statement.execute("alter system set autovacuum = off");
      boolean _ = statement.execute("select pg_reload_conf()");
    } catch (SQLException e) {
      throw new SQLException("cannot still the vacuum for " + database, e);
    }
  }
}
