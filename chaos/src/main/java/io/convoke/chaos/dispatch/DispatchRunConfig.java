package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.TaskHistory.TaskLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Timeouts of the servers and pods under test, and the bounds derived from them. */
final class DispatchRunConfig {
  static final List<String> REGIONS = List.of("us-east-1", "eu-west-1", "ap-south-1");
  static final int SLOTS = 2;

  /** A third of the default 30 s. */
  static final Duration WINDOW = Duration.ofSeconds(10);

  /** Scaled down from the default 45 s. */
  static final Duration LEASE = Duration.ofSeconds(6);

  /** A third of the default 10 s. */
  static final Duration OVERFLOW = Duration.ofSeconds(3);

  static final int ATTEMPTS = 5;

  /** Long enough that a suspended process has lost all its leases on resuming. */
  static final Duration HANGING = Duration.ofSeconds(8);

  static final Duration SKEW = Duration.ofSeconds(5);

  /** Grace between SIGTERM and SIGKILL of a program. */
  static final Duration GRACE = Duration.ofSeconds(2);

  /** From SIGTERM to a pod until it returns tasks that run on. */
  static final Duration DRAIN = Duration.ofSeconds(2);

  /**
   * A pod counts as dead after so long without a heartbeat in two seeds of three; in others when
   * its leases end, as by default.
   */
  private static final Duration DEAD_AFTER = Duration.ofSeconds(3);

  static final Duration STRANDED = Duration.ofSeconds(2);

  /**
   * What is requested after the storm, and all attempts of a retried task, each after its full
   * wait, on a slow machine.
   */
  static final Duration END_MAX = Duration.ofMinutes(2);

  private DispatchRunConfig() {}

  /** Whether pods take the planned types alone, so that tasks of another time out. */
  static boolean typed(long seed) {
    return seed % 3 != 2;
  }

  private static Optional<Duration> deadAfter(long seed) {
    return seed % 3 == 2 ? Optional.empty() : Optional.of(DEAD_AFTER);
  }

  static TaskLimits limits(long seed) {
    return new TaskLimits(WINDOW, deadAfter(seed).orElse(LEASE), LEASE, STRANDED, ATTEMPTS);
  }

  /** Settings of servers and pods. */
  static Map<String, String> settings(long seed) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DISPATCH_TASK_TIMEOUT", WINDOW.toSeconds() + "s");
    settings.put("CONVOKE_DISPATCH_LEASE", LEASE.toSeconds() + "s");
    settings.put("CONVOKE_DISPATCH_OVERFLOW_AFTER", OVERFLOW.toSeconds() + "s");
    settings.put("CONVOKE_DISPATCH_MAX_ATTEMPTS", Integer.toString(ATTEMPTS));
    deadAfter(seed)
        .ifPresent(
            silence -> settings.put("CONVOKE_DISPATCH_DEAD_AFTER", silence.toSeconds() + "s"));
    return settings;
  }

  /** The scale, as text. */
  static String line() {
    return "queue timeout %d s (30), lease %d s (45), %d attempts, open to other pods after %d s (10)"
        .formatted(WINDOW.toSeconds(), LEASE.toSeconds(), ATTEMPTS, OVERFLOW.toSeconds());
  }
}
