package io.convoke.engine.sql;

/** Work that answers nothing. */
@FunctionalInterface
public interface VoidSqlWork {
  void run(Tx tx);
}
