package io.convoke.server.recordings;

import io.convoke.engine.durable.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of recordings.
 *
 * @param pollInterval between two listings
 * @param overlap how far before the cursor a listing starts
 * @param firstLook how far back the first listing goes
 * @param silence after which the platform is queried about a running recording
 * @param abandonAfter after which a recording is given up if the platform no longer has it or it
 *     stays unassigned
 * @param retention how long audio is kept after the work is done; empty: for ever
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

  /** The defaults of the configuration; a step is tried for about 25 minutes. */
  public static RecordingConfig defaults() {
    return new RecordingConfig(
        Duration.ofSeconds(180),
        Duration.ofHours(1),
        Duration.ofDays(1),
        Duration.ofHours(1),
        Duration.ofDays(7),
        Optional.empty(),
        new RetryPolicy(30, Duration.ofSeconds(1), 2, Duration.ofMinutes(1)));
  }

  /** The same with settings of an operator. */
  public RecordingConfig with(Duration interval, Optional<Duration> kept) {
    return new RecordingConfig(interval, overlap, firstLook, silence, abandonAfter, kept, retry);
  }
}
