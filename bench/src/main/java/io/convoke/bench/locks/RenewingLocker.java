package io.convoke.bench.locks;

/** A locker that renews the locks it holds. */
interface RenewingLocker extends Locker {
  /** Acquires a lock and keeps it. */
  void hold(String key) throws Exception;
}
