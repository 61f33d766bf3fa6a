package io.convoke.engine.sql;

/** What runs inside a connection: database statements and pure code, no other effects. */
@FunctionalInterface
public interface SqlWork<T extends @org.jspecify.annotations.Nullable Object> {
  T run(Tx tx);
}
