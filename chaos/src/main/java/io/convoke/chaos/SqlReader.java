package io.convoke.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads rows directly from the database, on its own connection. */
public final class SqlReader {
  private SqlReader() {}

  /** Maps one row. */
  @FunctionalInterface
  public interface SqlRowReader<T> {
    T of(ResultSet row) throws SQLException;
  }

  /** All rows of a query without parameters. */
  public static <T> List<T> list(Connection connection, String sql, SqlRowReader<T> reader)
      throws SQLException {
    List<T> all = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        all.add(reader.of(rows));
      }
    }
    return all;
  }
}
