package io.convoke.bench.durable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.convoke.engine.sql.DatabaseUrl;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The connections of one candidate: up to twenty, opened on demand. */
final class CandidateConnectionPool implements AutoCloseable {
  private static final int CONNECTIONS = 20;

  private final HikariDataSource source;

  CandidateConnectionPool(String url) {
    DatabaseUrl parsed = DatabaseUrl.parse(url);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(parsed.jdbc());
    config.setUsername(parsed.user());
    config.setPassword(parsed.password());
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(60_000);
    config.addDataSourceProperty("prepareThreshold", "1");
    this.source = new HikariDataSource(config);
  }

  DataSource source() {
    return source;
  }

  Connection connection() throws SQLException {
    return source.getConnection();
  }

  long count(String query) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  void run(String script) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(script);
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
