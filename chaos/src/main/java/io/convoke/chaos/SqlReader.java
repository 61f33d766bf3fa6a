package io.convoke.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads rows past the servers, on a connection of the scenario's own. */
public final class SqlReader {
  private SqlReader() {}

  /** What one row is. */
  @FunctionalInterface
  public interface SqlRowReader<T> {
    T of(ResultSet row) throws SQLException;
  }

  /** All rows of a query without parameters. */
  public static <T> List<T> list(Connection connection, String sql, SqlRowReader<T> sqlRowReader)
      throws SQLException {
    List<T> all = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        all.add(sqlRowReader.of(rows));
      }
    }
    return all;
  }
}
