package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import java.time.Duration;
import java.util.Locale;

/**
 * Behavior of a task's program.
 *
 * @param work how long it runs before it exits by itself
 * @param again number of attempts that exit with "try again"
 */
record TaskFaultPlan(TaskFaultKind kind, Duration work, int again) {
  /** How a program behaves. */
  enum TaskFaultKind {
    SUCCEEDS,
    FAILS,
    /** Ignores SIGTERM. */
    DEAF,
    /** No pod takes its type. */
    NEVER_BEGINS
  }

  /** The program's argument. */
  String description() {
    return String.format(
        Locale.ROOT,
        "%s %.2f %d",
        kind.name().toLowerCase(Locale.ROOT),
        work.toMillis() / 1e3,
        again);
  }

  RequestedTask.ProgramEnd end() {
    return switch (kind) {
      case SUCCEEDS, DEAF -> RequestedTask.ProgramEnd.SUCCEEDS;
      case FAILS -> RequestedTask.ProgramEnd.FAILS;
      case NEVER_BEGINS -> RequestedTask.ProgramEnd.NEVER_BEGINS;
    };
  }
}
