package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.RequestedTask;
import java.time.Duration;
import java.util.Locale;

/**
 * What a task's program does.
 *
 * @param work how long it works before it ends by itself
 * @param again attempts that end with "try again"
 */
record TaskFaultPlan(TaskFaultKind kind, Duration work, int again) {
  /** How a program behaves. */
  enum TaskFaultKind {
    SUCCEEDS,
    FAILS,
    /** It takes no notice of SIGTERM. */
    DEAF
  }

  /** As the program reads it. */
  String description() {
    return String.format(
        Locale.ROOT,
        "%s %.2f %d",
        kind.name().toLowerCase(Locale.ROOT),
        work.toMillis() / 1e3,
        again);
  }

  RequestedTask.ProgramEnd end() {
    return kind == TaskFaultKind.FAILS
        ? RequestedTask.ProgramEnd.FAILS
        : RequestedTask.ProgramEnd.SUCCEEDS;
  }
}
