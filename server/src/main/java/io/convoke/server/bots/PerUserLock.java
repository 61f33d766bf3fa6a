package io.convoke.server.bots;

import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Serialises the starts of one user, first come first served. In Postgres they would wait for each
 * other at the user's row too, but each would hold a connection: a burst of one user, or a row lock
 * held by a hung server, would exhaust the pool for all users.
 */
final class PerUserLock {
  /** The same as the timeout for a connection. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);

  private final ConcurrentMap<Long, UserLockEntry> lines = new ConcurrentHashMap<>();

  /** A lock, and how many hold it or wait for it; the number changes under the map's own lock. */
  private record UserLockEntry(ReentrantLock lock, int callers) {
    UserLockEntry and(int more) {
      return new UserLockEntry(lock, callers + more);
    }
  }

  /**
   * Runs the work when earlier starts of this user are done.
   *
   * @throws StoreUnavailable when those before it take too long
   */
  <T> T runLocked(long user, Supplier<T> work) {
    ReentrantLock lock =
        lines
            .merge(user, new UserLockEntry(new ReentrantLock(true), 1), (held, _) -> held.and(1))
            .lock();
    try {
      if (!acquired(lock)) {
        throw new StoreUnavailable("earlier starts of this user have not finished");
      }
      try {
        return work.get();
      } finally {
        lock.unlock();
      }
    } finally {
      Optional<UserLockEntry> _ =
          Optional.ofNullable(
              lines.computeIfPresent(
                  user,
                  (_, userLockEntry) ->
                      userLockEntry.callers() == 1 ? null : userLockEntry.and(-1)));
    }
  }

  private static boolean acquired(ReentrantLock lock) {
    try {
      return lock.tryLock(WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
