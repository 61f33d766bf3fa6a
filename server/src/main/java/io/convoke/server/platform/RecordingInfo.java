package io.convoke.server.platform;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A platform's data on one recording.
 *
 * @param room empty where the platform did not tell it
 * @param sessionId the platform's own id of the meeting that was recorded
 * @param instanceId distinguishes several recordings of one room
 * @param duration absent while it runs
 * @param kind the platform's name of the kind, as {@code cloud}, where it tells it
 */
public record RecordingInfo(
    String id,
    String room,
    Optional<String> sessionId,
    Optional<String> instanceId,
    Optional<Instant> startedAt,
    Optional<Duration> duration,
    PlatformRecordingStatus stage,
    Optional<String> kind) {

  /** Status of a recording at the platform. */
  public enum PlatformRecordingStatus {
    RUNNING,
    FINISHED,
    CANCELLED
  }

  /** Whether it is over and has a file that lasts. */
  public boolean hasFile() {
    return stage == PlatformRecordingStatus.FINISHED
        && duration.map(length -> length.toSeconds() > 0).orElse(true);
  }

  /** The same with a room and a session that were told apart from the rest. */
  public RecordingInfo in(String toldRoom, Optional<String> toldSession) {
    return new RecordingInfo(
        id, toldRoom, toldSession, instanceId, startedAt, duration, stage, kind);
  }

  /** When it ended, if that is known. */
  public Optional<Instant> endedAt() {
    return startedAt.flatMap(start -> duration.map(start::plus));
  }
}
