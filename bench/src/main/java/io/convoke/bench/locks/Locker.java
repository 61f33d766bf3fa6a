package io.convoke.bench.locks;

/** A way to lock a key in Redis for one of many processes. */
interface Locker extends AutoCloseable {
  String name();

  /** Takes a lock that is free and gives it back; both are known to be done when this returns. */
  void once(String key) throws Exception;

  @Override
  void close();
}
