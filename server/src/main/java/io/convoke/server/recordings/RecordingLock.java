package io.convoke.server.recordings;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseConfig;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.recordings.RecordingWorkflow.RecordingRunRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock {@code recording:{id}} around the work on a recording (recordings-4). It avoids double
 * work; the single workflow per recording and the epoch of the row prevent it. So without Redis the
 * work continues without the lock, and a workflow whose process died takes over its own lock
 * instead of waiting for the expiry.
 */
final class RecordingLock {
  static final LeaseConfig TERMS = new LeaseConfig(Duration.ofSeconds(600), Duration.ofSeconds(60));

  /**
   * The timeout while checking whether there is work to begin. Short, because no takeover is
   * possible from a process that died before the workflow existed.
   */
  static final LeaseConfig BEGINNING =
      new LeaseConfig(Duration.ofSeconds(20), Duration.ofSeconds(5));

  /** Maximum number of earlier runs whose lock may be left. */
  private static final int RUNS_MAX = 10;

  private static final Logger log = LoggerFactory.getLogger(RecordingLock.class);
  private static final LuaScript LOCK = LuaScript.resource(RecordingLock.class, "lock.lua");

  private final Redis redis;
  private final LeaseRenewer leases;

  RecordingLock(Redis redis, LeaseRenewer leases) {
    this.redis = redis;
    this.leases = leases;
  }

  static String key(String recordingId) {
    return "recording:" + recordingId;
  }

  /** The result of acquiring the lock. */
  sealed interface RecordingLockResult {
    /** Held until it is closed or lost. */
    record RecordingLockHeld(Lease lease) implements RecordingLockResult {}

    /** Another worker holds the recording. */
    record LockedByOther() implements RecordingLockResult {}

    /** Redis is unreachable. */
    record LockServiceUnavailable() implements RecordingLockResult {}
  }

  /** Another holder owns the lock. */
  static final class RecordingLockedException extends Exception {
    private static final long serialVersionUID = 1;

    RecordingLockedException(String recordingId) {
      super("another worker holds the lock of recording " + recordingId);
    }
  }

  /** Acquires it to start a workflow, which may take it over. */
  RecordingLockResult acquire(String recordingId, String workflow) {
    return acquire(recordingId, workflow, BEGINNING, List.of());
  }

  private RecordingLockResult acquire(
      String recordingId, String workflow, LeaseConfig terms, List<String> overFrom) {
    String token = leases.newToken() + ":" + workflow;
    String key = key(recordingId);
    long sent = System.nanoTime();
    try {
      Object epoch =
          redis.eval(LOCK, List.of(key, LeaseRenewer.EPOCH_KEY), arguments(token, terms, overFrom));
      return epoch instanceof Long number && number > 0
          ? new RecordingLockResult.RecordingLockHeld(
              leases.register(key, token, number, terms, sent))
          : new RecordingLockResult.LockedByOther();
    } catch (RedisUnavailable away) {
      return new RecordingLockResult.LockServiceUnavailable();
    }
  }

  private static List<String> arguments(String token, LeaseConfig terms, List<String> overFrom) {
    List<String> arguments = new ArrayList<>();
    arguments.add(token);
    arguments.add(Long.toString(terms.timeout().toMillis()));
    overFrom.forEach(workflow -> arguments.add(":" + workflow));
    return arguments;
  }

  /**
   * Works under the lock, which it takes over from the starter of this workflow, from an earlier
   * attempt of it and from earlier runs, which are over; interrupted when the lock is lost.
   *
   * @param first whether a denial is logged as a warning, once
   */
  <T> T around(RecordingRunRef recordingRunRef, boolean first, Callable<T> work) throws Exception {
    List<String> runs =
        IntStream.rangeClosed(Math.max(1, recordingRunRef.run() - RUNS_MAX), recordingRunRef.run())
            .mapToObj(run -> RecordingRow.workflow(recordingRunRef.recordingId(), run))
            .toList();
    return switch (acquire(
        recordingRunRef.recordingId(), recordingRunRef.workflow(), TERMS, runs)) {
      case RecordingLockResult.LockedByOther _ -> {
        if (first) {
          refused(recordingRunRef.recordingId(), recordingRunRef.workflow());
        }
        throw new RecordingLockedException(recordingRunRef.recordingId());
      }
      case RecordingLockResult.LockServiceUnavailable _ -> work.call();
      case RecordingLockResult.RecordingLockHeld(Lease lease) -> {
        try (lease) {
          yield lease.guard(work);
        }
      }
    };
  }

  /** The only warning of a refused worker. */
  static void refused(String recordingId, String who) {
    log.warn("recording {} is locked; {} skips it", recordingId, who);
  }
}
