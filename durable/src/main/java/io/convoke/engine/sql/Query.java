package io.convoke.engine.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One statement with its parameters, run once: alone, or {@link Tx#run together} with others. */
public final class Query {
  private final Connection connection;
  private final String sql;
  private @Nullable Object[] parameters = {};

  Query(Connection connection, String sql) {
    this.connection = connection;
    this.sql = sql;
  }

  /**
   * Binds the question marks in their order. Instants become timestamptz, durations milliseconds,
   * enums their name in lower case, JSON nodes jsonb, arrays SQL arrays.
   */
  public Query with(@Nullable Object... values) {
    this.parameters = values;
    return this;
  }

  public <T> List<T> list(RowMapper<T> mapper) {
    try (PreparedStatement statement = prepare();
        ResultSet result = statement.executeQuery()) {
      ResultRow resultRow = new ResultRow(result);
      List<T> values = new ArrayList<>();
      while (result.next()) {
        values.add(mapper.map(resultRow));
      }
      return values;
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  /** The first row, if there is one; further rows are ignored. */
  public <T> Optional<T> first(RowMapper<T> mapper) {
    try (PreparedStatement statement = prepare();
        ResultSet result = statement.executeQuery()) {
      return result.next() ? Optional.of(mapper.map(new ResultRow(result))) : Optional.empty();
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  /** The one row that the statement always returns. */
  public <T> T one(RowMapper<T> mapper) {
    return first(mapper).orElseThrow(() -> new IllegalStateException("no row: " + sql));
  }

  /** Runs a statement that changes rows and returns how many. */
  public int update() {
    try (PreparedStatement statement = prepare()) {
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  private PreparedStatement prepare() throws SQLException {
    return together(connection, List.of(this));
  }

  /** Makes one statement of the driver for all queries, which it sends in one packet. */
  static PreparedStatement together(Connection connection, List<Query> queries)
      throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(
            queries.size() == 1
                ? queries.getFirst().sql
                : queries.stream().map(query -> query.sql).collect(Collectors.joining(";\n")));
    try {
      int index = 0;
      for (Query query : queries) {
        for (Object parameter : query.parameters) {
          index++;
          query.bind(statement, index, parameter);
        }
      }
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private void bind(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException {
    switch (value) {
      case null -> statement.setNull(index, Types.NULL);
      case Long number -> statement.setLong(index, number);
      case Integer number -> statement.setInt(index, number);
      case Double number -> statement.setDouble(index, number);
      case Boolean bool -> statement.setBoolean(index, bool);
      case String text -> statement.setString(index, text);
      case byte[] bytes -> statement.setBytes(index, bytes);
      case Instant instant -> statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
      case Duration duration -> statement.setLong(index, duration.toMillis());
      case Enum<?> constant -> statement.setString(index, constant.name().toLowerCase(Locale.ROOT));
      case JsonNode json -> statement.setObject(index, json.toString(), Types.OTHER);
      case Optional<?> maybe -> bind(statement, index, maybe.orElse(null));
      case long[] numbers -> statement.setArray(index, array("bigint", boxed(numbers)));
      case Long[] numbers -> statement.setArray(index, array("bigint", numbers));
      case Integer[] numbers -> statement.setArray(index, array("integer", numbers));
      case Double[] numbers -> statement.setArray(index, array("double precision", numbers));
      case Boolean[] bools -> statement.setArray(index, array("boolean", bools));
      case String[] texts -> statement.setArray(index, array("text", texts));
      case Instant[] instants -> statement.setArray(index, array("timestamptz", utc(instants)));
      default -> statement.setObject(index, value);
    }
  }

  private java.sql.Array array(String type, @Nullable Object[] elements) throws SQLException {
    return connection.createArrayOf(type, elements);
  }

  private static Long[] boxed(long[] numbers) {
    Long[] boxed = new Long[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      boxed[i] = numbers[i];
    }
    return boxed;
  }

  private static @Nullable Object[] utc(@Nullable Instant[] instants) {
    @Nullable Object[] times = new @Nullable Object[instants.length];
    for (int i = 0; i < instants.length; i++) {
      @Nullable Instant instant = instants[i];
      times[i] = instant == null ? null : instant.toString();
    }
    return times;
  }
}
