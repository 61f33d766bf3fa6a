package io.convoke.engine.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The results of statements that were sent together, read once and in the statements' order. */
public final class BatchResults {
  private final PreparedStatement statement;
  private boolean rows;

  BatchResults(PreparedStatement statement, boolean rows) {
    this.statement = statement;
    this.rows = rows;
  }

  /** The rows of the next statement. */
  public <T> List<T> list(RowMapper<T> mapper) {
    skipCommits();
    try (ResultSet result = statement.getResultSet()) {
      List<T> values = new ArrayList<>();
      ResultRow resultRow = new ResultRow(result);
      while (result.next()) {
        values.add(mapper.map(resultRow));
      }
      rows = statement.getMoreResults();
      return values;
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  private void skipCommits() {
    try {
      while (!rows && statement.getUpdateCount() >= 0) {
        rows = statement.getMoreResults();
      }
    } catch (SQLException e) {
      throw Database.failure(e);
    }
    if (!rows) {
      throw new IllegalStateException("no further statement returned rows");
    }
  }

  /** The first row of the next statement, if it returned one. */
  public <T> Optional<T> first(RowMapper<T> mapper) {
    return list(mapper).stream().findFirst();
  }
}
