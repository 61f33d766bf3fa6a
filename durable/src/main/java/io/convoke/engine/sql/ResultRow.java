package io.convoke.engine.sql;

import io.convoke.engine.json.Json;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The current row of a result, read by column name. A null where none was expected is a bug. */
public final class ResultRow {
  private final ResultSet rows;

  ResultRow(ResultSet rows) {
    this.rows = rows;
  }

  public long longAt(String column) {
    return required(column, maybeLong(column));
  }

  public int intAt(String column) {
    return Math.toIntExact(longAt(column));
  }

  public double doubleAt(String column) {
    return required(column, maybeDouble(column));
  }

  public boolean booleanAt(String column) {
    return required(column, get(column, rows::getBoolean));
  }

  public String text(String column) {
    return required(column, maybeText(column));
  }

  public byte[] bytes(String column) {
    return required(column, get(column, rows::getBytes));
  }

  public Instant instant(String column) {
    return required(column, maybeInstant(column));
  }

  public JsonNode json(String column) {
    return required(column, maybeJson(column));
  }

  public Optional<Long> maybeLong(String column) {
    return get(column, rows::getLong);
  }

  public Optional<Integer> maybeInt(String column) {
    return maybeLong(column).map(Math::toIntExact);
  }

  public Optional<Double> maybeDouble(String column) {
    return get(column, rows::getDouble);
  }

  public Optional<String> maybeText(String column) {
    return get(column, rows::getString);
  }

  public Optional<byte[]> maybeBytes(String column) {
    return get(column, rows::getBytes);
  }

  public Optional<Instant> maybeInstant(String column) {
    return get(column, name -> rows.getObject(name, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  public Optional<JsonNode> maybeJson(String column) {
    return maybeText(column).map(Json::read);
  }

  /** The elements of a text array. */
  public List<String> texts(String column) {
    return List.of((String[]) elements(column));
  }

  /** The elements of a bigint array. */
  public List<Long> longs(String column) {
    return List.of((Long[]) elements(column));
  }

  private Object elements(String column) {
    try {
      Array array = required(column, get(column, rows::getArray));
      return array.getArray();
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  private <T> Optional<T> get(String column, ColumnGetter<T> columnGetter) {
    try {
      @Nullable T value = columnGetter.get(column);
      return value == null || rows.wasNull() ? Optional.empty() : Optional.of(value);
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  private static <T> T required(String column, Optional<T> value) {
    return value.orElseThrow(() -> new IllegalStateException("column " + column + " is null"));
  }

  private interface ColumnGetter<T> {
    @Nullable T get(String column) throws SQLException;
  }
}
