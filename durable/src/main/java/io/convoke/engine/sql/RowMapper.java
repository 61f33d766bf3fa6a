package io.convoke.engine.sql;

/** Maps the current row to a value. */
@FunctionalInterface
public interface RowMapper<T> {
  T map(ResultRow resultRow);
}
