package io.convoke.server.sync;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A sync in responses (docs/spec/contract.md).
 *
 * @param syncAttemptCount the same as {@code attempts} (sync-11)
 * @param stalled in progress, and without an update for too long, or since a retry that no job has
 *     answered
 * @param stale from the cache while Postgres is unreachable
 * @param attempt the number that orders updates
 */
record SyncView(
    String meetingId,
    SyncStatus status,
    Optional<Instant> updatedAt,
    Optional<String> lastStep,
    long attempts,
    long syncAttemptCount,
    Optional<String> lastSyncedBy,
    Optional<String> jobId,
    Optional<String> errorMessage,
    List<StepState> steps,
    boolean stalled,
    long version,
    long attempt,
    boolean stale) {
  /**
   * The time in which another system's job has to answer a retry before the sync shows as stalled.
   * It also keeps a double click from opening two attempts.
   */
  static final Duration ANSWER_MAX = Duration.ofSeconds(3);

  static SyncView of(SyncRecord record, Instant now, Duration stallAfter, boolean stale) {
    return of(record, stalled(record, now, stallAfter), stale);
  }

  static SyncView of(SyncRecord record, boolean stalled, boolean stale) {
    return new SyncView(
        record.meetingId(),
        record.status(),
        record.updatedAt(),
        record.lastStep(),
        record.attempts(),
        record.attempts(),
        record.lastSyncedBy(),
        record.jobId(),
        record.errorMessage(),
        record.steps(),
        stalled,
        record.version(),
        record.attempt(),
        stale);
  }

  /** Whether a record is stalled, which allows a retry. */
  static boolean stalled(SyncRecord record, Instant now, Duration stallAfter) {
    Duration patience = record.unanswered().orElse(false) ? ANSWER_MAX : stallAfter;
    return record.status() == SyncStatus.IN_PROGRESS
        && record.updatedAt().filter(at -> at.plus(patience).isBefore(now)).isPresent();
  }

  /** The entity tag; changes with any shown value. */
  String tag() {
    return version + (stalled ? "-stalled" : "") + (stale ? "-stale" : "");
  }
}
