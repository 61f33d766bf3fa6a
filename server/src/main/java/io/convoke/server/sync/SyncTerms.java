package io.convoke.server.sync;

import java.time.Duration;

/**
 * The terms of sync status.
 *
 * @param cacheTtl how long a record stays in the cache; up to a sixtieth less, drawn for each
 * @param stallAfter after which a sync without progress shows as stalled
 * @param writeDeadline how long a write is tried
 */
public record SyncTerms(Duration cacheTtl, Duration stallAfter, Duration writeDeadline) {
  /** As CONTRACT.md has them. */
  public static SyncTerms defaults() {
    return new SyncTerms(Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(8));
  }
}
