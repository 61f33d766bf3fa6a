package io.convoke.bench.locks;

/** A way to lock a key in Redis for one of many processes. */
interface Locker extends AutoCloseable {
  String name();

  /** Acquires a free lock and releases it; both are confirmed when this returns. */
  void once(String key) throws Exception;

  @Override
  void close();
}
