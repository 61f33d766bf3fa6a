package io.convoke.server.sync;

import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.loop.QueryBatcher;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Reads syncs from the cache, and on a miss from Postgres. Concurrent misses share one query. While
 * Postgres is unreachable, cached values are returned, marked as stale.
 */
final class SyncReader {
  private static final int BATCH_MAX = 500;
  private static final int TRIPS_MAX = 2;
  private static final int WAITING_MAX = 20_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(6);

  private final SyncStore store;
  private final SyncCache cache;
  private final SyncMetrics metrics;
  private final BooleanSupplier databaseUp;
  private final QueryBatcher<String, CachedResponse> misses;

  /**
   * Creates a reader.
   *
   * @param databaseUp whether Postgres is reachable, as far as this node knows
   */
  SyncReader(SyncStore store, SyncCache cache, SyncMetrics metrics, BooleanSupplier databaseUp) {
    this.store = store;
    this.cache = cache;
    this.metrics = metrics;
    this.databaseUp = databaseUp;
    this.misses = new QueryBatcher<>("sync-read", BATCH_MAX, TRIPS_MAX, WAITING_MAX, this::batch);
  }

  /** The source of a result. */
  enum SyncReadSource {
    CACHE,
    DATABASE
  }

  /**
   * What is known of a meeting.
   *
   * @param stale whether Postgres is unreachable, so that this may be outdated
   */
  record SyncReading(CachedResponse response, SyncReadSource source, boolean stale) {
    Optional<SyncRecord> record() {
      return response.record();
    }
  }

  /**
   * What is known of a meeting.
   *
   * @throws StoreUnavailable if Postgres is unreachable and the cache has no value
   */
  SyncReading read(String meetingId) {
    SyncCache.Lookup cached = cache.get(meetingId);
    Optional<SyncReading> known = fromCache(cached);
    if (known.isPresent()) {
      return known.get();
    }
    try {
      return fromDatabase(misses.submit(meetingId, TIMEOUT));
    } catch (StoreUnavailable away) {
      return stale(cached, away);
    }
  }

  /** Reads the syncs of several meetings. */
  Map<String, SyncReading> read(Collection<String> meetingIds) {
    Map<String, SyncCache.Lookup> cached = cache.get(meetingIds);
    Map<String, SyncReading> found = new HashMap<>();
    Set<String> open = new LinkedHashSet<>();
    for (String id : meetingIds) {
      fromCache(cached.getOrDefault(id, SyncCache.Lookup.NONE))
          .ifPresentOrElse(syncReading -> found.put(id, syncReading), () -> open.add(id));
    }
    if (open.isEmpty()) {
      return found;
    }
    try {
      find(open).forEach((id, response) -> found.put(id, fromDatabase(response)));
    } catch (StoreUnavailable away) {
      open.forEach(
          id -> found.put(id, stale(cached.getOrDefault(id, SyncCache.Lookup.NONE), away)));
    }
    return found;
  }

  /** Reads from Postgres, for a caller that is about to change it. */
  Optional<SyncRecord> readUncached(String meetingId) {
    return Objects.requireNonNull(find(Set.of(meetingId)).get(meetingId)).record();
  }

  /** Failed and stalled syncs, newest first. */
  List<SyncRecord> problems(
      Duration stallAfter, Optional<SyncStore.SyncPosition> after, int limit) {
    String generation = cache.generation();
    List<SyncRecord> problems = store.problems(stallAfter, after, limit);
    cache.refill(
        problems.stream().collect(Collectors.toMap(SyncRecord::meetingId, Optional::of)),
        generation);
    return problems;
  }

  private Optional<SyncReading> fromCache(SyncCache.Lookup cached) {
    if (!databaseUp.getAsBoolean()) {
      return cached.response().map(response -> reading(response, true));
    }
    return cached.hit().map(response -> reading(response, false));
  }

  private SyncReading fromDatabase(CachedResponse response) {
    metrics.read("miss");
    return new SyncReading(response, SyncReadSource.DATABASE, false);
  }

  private SyncReading stale(SyncCache.Lookup cached, StoreUnavailable away) {
    if (cached.response().isEmpty()) {
      metrics.read("away");
      throw away;
    }
    return reading(cached.response().get(), true);
  }

  private SyncReading reading(CachedResponse response, boolean stale) {
    boolean negative =
        response.record().filter(it -> it.status() != SyncStatus.NOT_STARTED).isEmpty();
    metrics.read(stale ? "stale" : negative ? "negative" : "hit");
    return new SyncReading(response, SyncReadSource.CACHE, stale);
  }

  private List<CachedResponse> batch(List<String> meetingIds) {
    Map<String, CachedResponse> found = find(Set.copyOf(meetingIds));
    return meetingIds.stream().map(id -> Objects.requireNonNull(found.get(id))).toList();
  }

  /** Queries Postgres and stores the result in the cache. */
  private Map<String, CachedResponse> find(Set<String> meetingIds) {
    String generation = cache.generation();
    Map<String, SyncRecord> records = store.find(meetingIds);
    Map<String, Optional<SyncRecord>> found = new HashMap<>();
    Map<String, CachedResponse> responses = new HashMap<>();
    for (String id : meetingIds) {
      Optional<SyncRecord> record = Optional.ofNullable(records.get(id));
      found.put(id, record);
      responses.put(id, record.map(CachedResponse::of).orElse(CachedResponse.UNKNOWN));
    }
    cache.refill(found, generation);
    return responses;
  }
}
