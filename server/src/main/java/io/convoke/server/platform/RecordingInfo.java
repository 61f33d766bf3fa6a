package io.convoke.server.platform;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A platform's data on one recording.
 *
 * @param sessionId the platform's own id of the meeting that was recorded
 * @param instanceId distinguishes several recordings of one room
 * @param duration absent while it runs
 * @param kind the platform's name of the kind, as {@code cloud}
 */
public record RecordingInfo(
    String id,
    String room,
    Optional<String> sessionId,
    Optional<String> instanceId,
    Optional<Instant> startedAt,
    Optional<Duration> duration,
    PlatformRecordingStatus stage,
    String kind) {

  /** Status of a recording at the platform. */
  public enum PlatformRecordingStatus {
    RUNNING,
    FINISHED,
    CANCELLED
  }

  /** When it ended, if that is known. */
  public Optional<Instant> endedAt() {
    return startedAt.flatMap(start -> duration.map(start::plus));
  }
}
