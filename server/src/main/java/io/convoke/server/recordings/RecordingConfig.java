package io.convoke.server.recordings;

import io.convoke.engine.durable.RetryPolicy;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of recordings.
 *
 * @param pollInterval between two listings
 * @param overlap how far before the cursor a listing starts
 * @param firstLook how far back the first listing goes
 * @param silence after which the platform is queried about a running recording
 * @param abandonAfter after which a recording is given up if it still runs, the platform tells
 *     nothing of it, or it stays unassigned
 * @param retention how long audio is kept after its processing; empty: for ever
 * @param retry how often a step is tried, and the pauses in between
 */
public record RecordingConfig(
    Duration pollInterval,
    Duration overlap,
    Duration firstLook,
    Duration silence,
    Duration abandonAfter,
    Optional<Duration> retention,
    RetryPolicy retry) {

  /** The same for a platform whose recordings are listed this often. */
  RecordingConfig every(Duration interval) {
    return new RecordingConfig(
        interval, overlap, firstLook, silence, abandonAfter, retention, retry);
  }

  /** Reads the settings; a step is tried for about 25 minutes. */
  public static RecordingConfig of(ServerConfig config) {
    return new RecordingConfig(
        config.get(Settings.RECORDING_POLL_INTERVAL),
        Duration.ofHours(1),
        Duration.ofDays(1),
        Duration.ofHours(1),
        Duration.ofDays(7),
        config.get(BackgroundWorkSettings.RECORDING_RETENTION),
        new RetryPolicy(30, Duration.ofSeconds(1), 2, Duration.ofMinutes(1)));
  }
}
