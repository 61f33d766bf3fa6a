package io.convoke.server.dispatch;

import io.convoke.server.http.Problem;
import java.util.Map;

/** Rejects requests that need stored tasks while tasks are in Redis only. */
final class NoTaskStore {
  private NoTaskStore() {}

  static Problem list() {
    return missing("tasks cannot be listed");
  }

  static Problem timeline() {
    return missing("task events are not recorded");
  }

  static Problem deadLetters() {
    return missing("dead letters cannot be listed; requeue a task by its id");
  }

  private static Problem missing(String what) {
    return Problem.conflict(
        "no_ledger",
        "Tasks are kept in Redis only (CONVOKE_DISPATCH_LEDGER=none): " + what + ".",
        Map.of("ledger", "none"));
  }
}
