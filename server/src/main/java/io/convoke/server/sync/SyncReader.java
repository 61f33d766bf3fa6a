package io.convoke.server.sync;

import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Reads: from the cache where it can be vouched for, else from the database, where callers who miss
 * the same meeting at the same time ask once. With the database out of reach the cache answers
 * whatever it has, and says that nobody could confirm it.
 */
final class SyncReader {
  private static final int BATCH_MAX = 500;
  private static final int TRIPS_MAX = 2;
  private static final int WAITING_MAX = 20_000;
  private static final Duration PATIENCE = Duration.ofSeconds(6);

  private final SyncStore store;
  private final SyncCache cache;
  private final CacheFollower follower;
  private final SyncMeters meters;
  private final Hearsay hearsay = new Hearsay();
  private final LongSupplier databaseSight;
  private final Batches<String, Optional<SyncRecord>> misses;

  SyncReader(
      SyncStore store,
      SyncCache cache,
      CacheFollower follower,
      SyncMeters meters,
      LongSupplier databaseSight) {
    this.store = store;
    this.cache = cache;
    this.follower = follower;
    this.meters = meters;
    this.databaseSight = databaseSight;
    this.misses = new Batches<>("sync-read", BATCH_MAX, TRIPS_MAX, WAITING_MAX, this::together);
  }

  /** Where an answer is from. */
  enum Source {
    CACHE,
    DATABASE
  }

  /**
   * What is known of a meeting.
   *
   * @param known empty if there is no such meeting
   * @param stale whether nobody could confirm it, because the database is out of reach
   */
  record Reading(Optional<Known> known, Source source, boolean stale) {
    Optional<SyncRecord> record() {
      return known.map(Known::record);
    }
  }

  /** The same of one meeting, which pages poll for again and again: as a rule nobody is asked. */
  Reading read(String meetingId) {
    Optional<SyncCache.Told> told = cache.told(meetingId);
    long sight = databaseSight.getAsLong();
    if (told.isPresent()
        && sight != Sync.OUT_OF_SIGHT
        && follower.vouchesFor(told.get().way(), sight)) {
      return cached(told.get().kept(), false);
    }
    return Objects.requireNonNull(read(Set.of(meetingId)).get(meetingId));
  }

  /**
   * What is known of these meetings.
   *
   * @throws StoreUnavailable if the database is out of reach and the cache has not all of them
   */
  Map<String, Reading> read(Collection<String> meetingIds) {
    Set<String> open = new LinkedHashSet<>(meetingIds);
    Map<String, Reading> found = new HashMap<>();
    SyncCache.Look look = cache.look(open);
    long sight = databaseSight.getAsLong();
    boolean away = sight == Sync.OUT_OF_SIGHT;
    if (away || follower.vouchesFor(look, sight)) {
      look.kept().forEach((id, kept) -> found.put(id, cached(kept, away)));
      open.removeAll(look.kept().keySet());
    } else {
      look.kept().forEach((id, kept) -> meters.read("untrusted"));
    }
    if (!open.isEmpty()) {
      try {
        Map<String, Optional<SyncRecord>> asked = asked(open);
        if (!cache.refill(asked, look)) {
          hearsay.await(asked.values().stream().flatMap(Optional::stream).toList());
        }
        asked.forEach(
            (id, record) -> {
              found.put(id, new Reading(record.map(Known::new), Source.DATABASE, false));
              meters.read("miss");
            });
      } catch (StoreUnavailable e) {
        if (!look.kept().keySet().containsAll(open)) {
          meters.read("away");
          throw e;
        }
        look.kept().forEach((id, kept) -> found.putIfAbsent(id, cached(kept, true)));
      }
    }
    return found;
  }

  /** Brings them into the cache if they are not there and the database can be asked. */
  void refresh(Collection<String> meetingIds) {
    try {
      Map<String, Reading> _ = read(meetingIds);
    } catch (StoreUnavailable away) {
      // Then whoever asks next does.
    }
  }

  private Reading cached(SyncCache.Kept kept, boolean stale) {
    boolean negative =
        kept.known().filter(it -> it.record().status() != SyncStatus.NOT_STARTED).isEmpty();
    meters.read(stale ? "stale" : negative ? "negative" : "hit");
    return new Reading(kept.known(), Source.CACHE, stale);
  }

  private Map<String, Optional<SyncRecord>> asked(Set<String> ids) {
    if (ids.size() == 1) {
      String id = ids.iterator().next();
      return Map.of(id, misses.ask(id, PATIENCE));
    }
    Map<String, SyncRecord> known = store.find(ids);
    Map<String, Optional<SyncRecord>> found = new HashMap<>();
    ids.forEach(id -> found.put(id, Optional.ofNullable(known.get(id))));
    return found;
  }

  private List<Optional<SyncRecord>> together(List<String> ids) {
    Map<String, SyncRecord> found = store.find(new HashSet<>(ids));
    return ids.stream().map(id -> Optional.ofNullable(found.get(id))).toList();
  }
}
