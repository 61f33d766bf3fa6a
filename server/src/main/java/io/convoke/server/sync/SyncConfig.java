package io.convoke.server.sync;

import java.time.Duration;

/**
 * The configuration of sync status.
 *
 * @param cacheTtl how long a record stays in the cache; up to a sixtieth less, drawn for each
 * @param stallAfter after which a sync without progress shows as stalled
 * @param writeDeadline how long a write is tried
 */
public record SyncConfig(Duration cacheTtl, Duration stallAfter, Duration writeDeadline) {
  /** The defaults of docs/configuration.md. */
  public static SyncConfig defaults() {
    return new SyncConfig(Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(8));
  }
}
