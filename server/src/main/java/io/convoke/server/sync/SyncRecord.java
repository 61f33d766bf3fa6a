package io.convoke.server.sync;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The sync of one meeting as it stands. Written to the cache and into the journal as it is here.
 *
 * @param userId owner of the meeting; empty if the id is not a meeting of this server
 * @param updatedAt by the database's clock; absent before the first update
 * @param attempts how many attempts were begun
 * @param version grows with every applied update; 0 before the first update
 * @param attempt the number that orders updates: of the present attempt
 * @param seq of the last update of this attempt that had one
 * @param attemptAt since when the present attempt runs
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
    Optional<Instant> attemptAt) {
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
        Optional.empty());
  }
}
