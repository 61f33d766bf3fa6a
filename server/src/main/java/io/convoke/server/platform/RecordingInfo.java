package io.convoke.server.platform;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a platform says of one recording.
 *
 * @param sessionId the platform's own id of the meeting that was recorded
 * @param instanceId tells several recordings of one room apart
 * @param duration absent while it runs
 * @param kind the platform's word, as {@code cloud}
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

  /** How far it is over there. */
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
