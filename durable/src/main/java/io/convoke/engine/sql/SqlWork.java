package io.convoke.engine.sql;

/** Work on a connection: statements and pure code, without other side effects. */
@FunctionalInterface
public interface SqlWork<T extends @org.jspecify.annotations.Nullable Object> {
  T run(Tx tx);
}
