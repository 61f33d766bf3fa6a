package io.convoke.engine.sql;

/** Work without a result. */
@FunctionalInterface
public interface VoidSqlWork {
  void run(Tx tx);
}
