package io.convoke.server.recordings;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.lease.LeaseTerms;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock {@code recording:{id}} around the work on a recording (seed 000, "Recording Processing
 * Lock"). It spares double work; what forbids it is the workflow, of which there is one, and the
 * epoch of the row. So without Redis the work goes on without the lock, and a workflow whose
 * process died takes its own lock over instead of waiting for its end.
 */
final class RecordingLock {
  static final LeaseTerms TERMS = new LeaseTerms(Duration.ofSeconds(600), Duration.ofSeconds(60));

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

    /** Somebody else works on the recording. */
    record Denied() implements Taken {}

    /** Redis is away. */
    record Unlocked() implements Taken {}
  }

  /** The lock is somebody else's. */
  static final class Denied extends Exception {
    private static final long serialVersionUID = 1;

    Denied(String recordingId) {
      super("somebody else holds the lock of recording " + recordingId);
    }
  }

  /** Takes it to begin something; the workflow that is begun may take it over. */
  Taken take(String recordingId, String workflow) {
    return take(recordingId, workflow, false);
  }

  private Taken take(String recordingId, String workflow, boolean over) {
    String suffix = ":" + workflow;
    String token = leases.newToken() + suffix;
    String key = key(recordingId);
    long sent = System.nanoTime();
    try {
      Object epoch =
          redis.eval(
              LOCK,
              List.of(key, LeaseKeeper.EPOCH_KEY),
              List.of(token, Long.toString(TERMS.timeout().toMillis()), over ? suffix : ""));
      return epoch instanceof Long number && number > 0
          ? new Taken.Held(leases.adopt(key, token, number, TERMS, sent))
          : new Taken.Denied();
    } catch (RedisUnavailable away) {
      return new Taken.Unlocked();
    }
  }

  /**
   * Works under the lock, which it takes over from whoever began this workflow and from an earlier
   * attempt of it; interrupted when it is lost.
   *
   * @param first whether being denied is worth a warning, once
   */
  <T> T around(String recordingId, String workflow, boolean first, Callable<T> work)
      throws Exception {
    return switch (take(recordingId, workflow, true)) {
      case Taken.Denied _ -> {
        if (first) {
          denied(recordingId, workflow);
        }
        throw new Denied(recordingId);
      }
      case Taken.Unlocked _ -> work.call();
      case Taken.Held(Lease lease) -> {
        try (lease) {
          yield lease.guard(work);
        }
      }
    };
  }

  /** The one warning of who was denied. */
  static void denied(String recordingId, String who) {
    log.warn("recording {} is being worked on already; {} stands back", recordingId, who);
  }
}
