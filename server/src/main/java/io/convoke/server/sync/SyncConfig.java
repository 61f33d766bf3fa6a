package io.convoke.server.sync;

import java.time.Duration;

/**
 * The configuration of sync status.
 *
 * @param cacheTtl TTL of cached records; shortened by up to a sixtieth as jitter
 * @param stallAfter time without progress after which a sync is shown as stalled
 * @param writeDeadline deadline of the retries of a write
 */
public record SyncConfig(Duration cacheTtl, Duration stallAfter, Duration writeDeadline) {
  /** The defaults of docs/reference/configuration.md. */
  public static SyncConfig defaults() {
    return new SyncConfig(Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(8));
  }
}
