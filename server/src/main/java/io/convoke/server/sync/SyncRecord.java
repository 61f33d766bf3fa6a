package io.convoke.server.sync;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The sync of one meeting as it stands. Written to the cache and into the journal as it is here.
 *
 * @param userId whose meeting it is; nobody's if the id is no meeting of ours
 * @param updatedAt by the database's clock; absent while nothing was told
 * @param attempts how many attempts were begun
 * @param version grows with every applied update; 0 while nothing was told
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

  /** A meeting of which nothing was told. */
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
