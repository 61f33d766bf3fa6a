package io.convoke.engine.sql;

/** Work that answers nothing. */
@FunctionalInterface
public interface VoidWork {
  void run(Tx tx);
}
