package io.convoke.server.sync;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The sync record of one meeting; also the JSON in the cache and the journal.
 *
 * @param userId owner of the meeting; empty if the id is not a meeting of this server
 * @param updatedAt by the database's clock; absent before the first update
 * @param attempts number of started attempts
 * @param version grows with every applied update; 0 before the first update
 * @param attempt number of the present attempt, which orders updates
 * @param seq the last {@code seq} in this attempt
 * @param attemptAt start of the present attempt
 * @param unanswered true while a retry waits for a job of another system
 */
public record SyncRecord(
    String meetingId,
    Optional<Long> userId,
    SyncStatus status,
    Optional<Instant> updatedAt,
    Optional<String> lastStep,
    long attempts,
    Optional<String> errorMessage,
    long version,
    Optional<String> lastSyncedBy,
    Optional<String> jobId,
    long attempt,
    Optional<Long> seq,
    List<StepState> steps,
    Optional<Instant> attemptAt,
    Optional<Boolean> unanswered) {
  public SyncRecord {
    steps = List.copyOf(steps);
  }

  /** A meeting without an update. */
  static SyncRecord notStarted(String meetingId, Optional<Long> userId) {
    return new SyncRecord(
        meetingId,
        userId,
        SyncStatus.NOT_STARTED,
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty(),
        0,
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  /** The same record, waiting for a job of another system. */
  SyncRecord asUnanswered() {
    return new SyncRecord(
        meetingId,
        userId,
        status,
        updatedAt,
        lastStep,
        attempts,
        errorMessage,
        version,
        lastSyncedBy,
        jobId,
        attempt,
        seq,
        steps,
        attemptAt,
        Optional.of(true));
  }
}
