package io.convoke.engine.sql;

/** Turns the current row into a value. */
@FunctionalInterface
public interface RowMapper<T> {
  T map(ResultRow resultRow);
}
