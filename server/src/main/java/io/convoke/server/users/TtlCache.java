package io.convoke.server.users;

import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A bounded cache of found values with a short TTL; misses are not cached. When full, expired
 * entries are evicted, or all entries if none has expired.
 *
 * <p>A value that is evicted during its lookup is not cached, because the lookup may have read the
 * earlier state. The generation detects this.
 *
 * <p>While the store is unreachable, values found within the last 15 minutes stay valid: no
 * revocation can be stored during the outage.
 */
final class TtlCache<V> {
  private static final long OUTAGE_NANOS = Duration.ofMinutes(15).toNanos();

  private record TtlCacheEntry<V>(V value, long untilNanos) {}

  private final long nanos;
  private final int max;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<String, TtlCacheEntry<V>> held = new ConcurrentHashMap<>();
  private volatile long generation;

  TtlCache(Duration duration, int max, LongSupplier nanoTime) {
    this.nanos = duration.toNanos();
    this.max = max;
    this.nanoTime = nanoTime;
  }

  Optional<V> get(String key, Supplier<Optional<V>> look) {
    long now = nanoTime.getAsLong();
    TtlCacheEntry<V> known = held.get(key);
    if (known != null && known.untilNanos - now > 0) {
      return Optional.of(known.value);
    }
    long before = generation;
    Optional<V> found;
    try {
      found = look.get();
    } catch (StoreUnavailable away) {
      if (known != null && known.untilNanos + OUTAGE_NANOS - now > 0) {
        return Optional.of(known.value);
      }
      throw away;
    }
    if (found.isEmpty()) {
      held.remove(key);
      return Optional.empty();
    }
    makeRoom(now);
    synchronized (this) {
      if (generation == before) {
        held.put(key, new TtlCacheEntry<>(found.get(), now + nanos));
      }
    }
    return found;
  }

  synchronized void invalidate(String key) {
    generation++;
    held.remove(key);
  }

  /** Evicts everything. */
  synchronized void clear() {
    generation++;
    held.clear();
  }

  int size() {
    return held.size();
  }

  private void makeRoom(long now) {
    if (held.size() < max) {
      return;
    }
    held.values().removeIf(entry -> entry.untilNanos - now <= 0);
    if (held.size() >= max) {
      held.clear();
    }
  }
}
