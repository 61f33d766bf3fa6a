package io.convoke.bench.locks;

/** A locker that keeps what it holds alive by itself. */
interface RenewingLocker extends Locker {
  /** Takes a lock and keeps it. */
  void hold(String key) throws Exception;
}
