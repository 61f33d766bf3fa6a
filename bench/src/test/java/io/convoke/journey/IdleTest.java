package io.convoke.journey;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.DatabaseUrl;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Law 10: a whole server that has nothing to do asks the database almost nothing. */
class IdleTest {
  /** Longer than Postgres keeps a backend's counts to itself. */
  private static final int SETTLED_SECONDS = 12;

  private static final int WINDOW_SECONDS = 40;

  @Test
  void aServerWithNothingToDoMakesFewerThanATenthOfAStatementASecond(@TempDir Path folder)
      throws Exception {
    try (House house = House.open(folder, Map.of())) {
      assertThat(house.nobody().get("/readyz").status()).isEqualTo(200);
      try (Counter counter = new Counter(house.databaseUrl())) {
        counter.pass(SETTLED_SECONDS);
        long before = counter.transactions();
        counter.pass(WINDOW_SECONDS);
        assertThat(counter.transactions() - before).isLessThan(WINDOW_SECONDS / 10);
      }
    }
  }

  /**
   * Every statement of an idle server is a transaction of its own; asked from another database.
   * Meanwhile nobody vacuums: what Postgres does by itself would be counted with it.
   */
  private static final class Counter implements AutoCloseable {
    private final Connection connection;
    private final String name;

    Counter(String url) throws SQLException {
      DatabaseUrl own = DatabaseUrl.parse(url);
      String path = URI.create(url).getPath();
      this.name = path.substring(1);
      DatabaseUrl other = DatabaseUrl.parse(url.replace(path, "/postgres"));
      this.connection = DriverManager.getConnection(other.jdbc(), own.user(), own.password());
      run("alter system set autovacuum = off");
      run("select pg_reload_conf()");
    }

    private void run(String sql) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        boolean _ = statement.execute();
      }
    }

    /** Lets time pass: what is measured is a rate. */
    void pass(int seconds) throws SQLException {
      try (PreparedStatement sleep = connection.prepareStatement("select pg_sleep(?)")) {
        sleep.setInt(1, seconds);
        try (ResultSet slept = sleep.executeQuery()) {
          assertThat(slept.next()).isTrue();
        }
      }
    }

    long transactions() throws SQLException {
      try (PreparedStatement query =
          connection.prepareStatement(
              "select xact_commit + xact_rollback from pg_stat_database where datname = ?")) {
        query.setString(1, name);
        try (ResultSet rows = query.executeQuery()) {
          assertThat(rows.next()).isTrue();
          return rows.getLong(1);
        }
      }
    }

    @Override
    public void close() throws SQLException {
      run("alter system reset autovacuum");
      run("select pg_reload_conf()");
      connection.close();
    }
  }
}
