package io.convoke.server.recordings;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.lease.LeaseTerms;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import io.convoke.server.recordings.RecordingWorkflow.Order;
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
  static final LeaseTerms TERMS = new LeaseTerms(Duration.ofSeconds(600), Duration.ofSeconds(60));

  /**
   * The timeout while checking whether there is work to begin. Short, because no takeover is
   * possible from a process that died before the workflow existed.
   */
  static final LeaseTerms BEGINNING = new LeaseTerms(Duration.ofSeconds(20), Duration.ofSeconds(5));

  /** How many runs back a lock may have been left. */
  private static final int RUNS_MAX = 10;

  private static final Logger log = LoggerFactory.getLogger(RecordingLock.class);
  private static final Script LOCK = Script.resource(RecordingLock.class, "lock.lua");

  private final Redis redis;
  private final LeaseKeeper leases;

  RecordingLock(Redis redis, LeaseKeeper leases) {
    this.redis = redis;
    this.leases = leases;
  }

  static String key(String recordingId) {
    return "recording:" + recordingId;
  }

  /** What came of asking for the lock. */
  sealed interface Taken {
    /** Ours until it is closed or lost. */
    record Held(Lease lease) implements Taken {}

    /** Another worker holds the recording. */
    record Denied() implements Taken {}

    /** Redis is away. */
    record Unlocked() implements Taken {}
  }

  /** Another holder owns the lock. */
  static final class Denied extends Exception {
    private static final long serialVersionUID = 1;

    Denied(String recordingId) {
      super("another worker holds the lock of recording " + recordingId);
    }
  }

  /** Takes it to begin something; the workflow that is begun may take it over. */
  Taken take(String recordingId, String workflow) {
    return take(recordingId, workflow, BEGINNING, List.of());
  }

  private Taken take(String recordingId, String workflow, LeaseTerms terms, List<String> overFrom) {
    String token = leases.newToken() + ":" + workflow;
    String key = key(recordingId);
    long sent = System.nanoTime();
    try {
      Object epoch =
          redis.eval(LOCK, List.of(key, LeaseKeeper.EPOCH_KEY), arguments(token, terms, overFrom));
      return epoch instanceof Long number && number > 0
          ? new Taken.Held(leases.adopt(key, token, number, terms, sent))
          : new Taken.Denied();
    } catch (RedisUnavailable away) {
      return new Taken.Unlocked();
    }
  }

  private static List<String> arguments(String token, LeaseTerms terms, List<String> overFrom) {
    List<String> arguments = new ArrayList<>();
    arguments.add(token);
    arguments.add(Long.toString(terms.timeout().toMillis()));
    overFrom.forEach(workflow -> arguments.add(":" + workflow));
    return arguments;
  }

  /**
   * Works under the lock, which it takes over from the starter of this workflow, from an earlier
   * attempt of it and from earlier runs, which are over; interrupted when the lock is lost. @param
   * first whether a denial is logged as a warning, once
   */
  <T> T around(Order order, boolean first, Callable<T> work) throws Exception {
    List<String> runs =
        IntStream.rangeClosed(Math.max(1, order.run() - RUNS_MAX), order.run())
            .mapToObj(run -> RecordingRow.workflow(order.recordingId(), run))
            .toList();
    return switch (take(order.recordingId(), order.workflow(), TERMS, runs)) {
      case Taken.Denied _ -> {
        if (first) {
          denied(order.recordingId(), order.workflow());
        }
        throw new Denied(order.recordingId());
      }
      case Taken.Unlocked _ -> work.call();
      case Taken.Held(Lease lease) -> {
        try (lease) {
          yield lease.guard(work);
        }
      }
    };
  }

  /** The one warning of a denied worker. */
  static void denied(String recordingId, String who) {
    log.warn("recording {} is locked; {} skips it", recordingId, who);
  }
}
