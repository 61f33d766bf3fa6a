package io.convoke.server.sync;

import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import java.time.Duration;

/**
 * The configuration of sync status.
 *
 * @param cacheTtl TTL of cached records; shortened by up to a sixtieth as jitter
 * @param stallAfter time without progress after which a sync is shown as stalled
 * @param writeDeadline deadline of the retries of a write
 */
public record SyncConfig(Duration cacheTtl, Duration stallAfter, Duration writeDeadline) {
  /** Reads the settings. */
  public static SyncConfig of(ServerConfig config) {
    return new SyncConfig(
        config.get(BackgroundWorkSettings.SYNC_CACHE_TTL),
        config.get(BackgroundWorkSettings.SYNC_STALL_AFTER),
        config.get(BackgroundWorkSettings.SYNC_WRITE_DEADLINE));
  }
}
