package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.TaskHistory.TaskLimits;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The times that servers and pods under torment are given, and what follows from them. */
final class DispatchRunConfig {
  static final List<String> REGIONS = List.of("us-east-1", "eu-west-1", "ap-south-1");
  static final int SLOTS = 2;

  /** A third of the seed's 30 s. */
  static final Duration WINDOW = Duration.ofSeconds(10);

  /** Of the seed's 45 s. */
  static final Duration LEASE = Duration.ofSeconds(6);

  /** A third of the seed's 10 s. */
  static final Duration OVERFLOW = Duration.ofSeconds(3);

  static final int ATTEMPTS = 5;

  /** What hangs has lost all its leases when it goes on. */
  static final Duration HANGING = Duration.ofSeconds(8);

  static final Duration SKEW = Duration.ofSeconds(5);

  /** From SIGTERM to SIGKILL of a program. */
  static final Duration GRACE = Duration.ofSeconds(2);

  /** A pod is dead after so long a silence, so that its tasks move on within a run. */
  static final Duration SILENT = Duration.ofSeconds(3);

  static final Duration STRANDED = Duration.ofSeconds(2);

  /** After Redis is back, whoever needs it has found it again. */
  static final Duration RECOVERED = Duration.ofMillis(2500);

  /** All attempts of what is tried again, each after its window, on a slow machine. */
  static final Duration END_MAX = Duration.ofSeconds(90);

  static final TaskLimits LIMITS = new TaskLimits(WINDOW, SILENT, LEASE, STRANDED, ATTEMPTS);

  private DispatchRunConfig() {}

  /** What servers and pods are told. */
  static Map<String, String> settings() {
    return Map.of(
        "CONVOKE_DISPATCH_TASK_TIMEOUT", WINDOW.toSeconds() + "s",
        "CONVOKE_DISPATCH_LEASE", LEASE.toSeconds() + "s",
        "CONVOKE_DISPATCH_DEAD_AFTER", SILENT.toSeconds() + "s",
        "CONVOKE_DISPATCH_OVERFLOW_AFTER", OVERFLOW.toSeconds() + "s",
        "CONVOKE_DISPATCH_MAX_ATTEMPTS", Integer.toString(ATTEMPTS));
  }

  /** The scale, for people. */
  static String line() {
    return "a task waits for %d s (of 30), a lease lasts %d s (of 45), %d attempts, others may take it after %d s (of 10)"
        .formatted(WINDOW.toSeconds(), LEASE.toSeconds(), ATTEMPTS, OVERFLOW.toSeconds());
  }
}
