package io.convoke.server.dispatch;

import io.convoke.server.http.Problem;
import java.util.Map;

/** What cannot be answered where tasks are in Redis alone. */
final class NoTaskStore {
  private NoTaskStore() {}

  static Problem list() {
    return missing("there is no list of them");
  }

  static Problem timeline() {
    return missing("nothing is written down of what happened to them");
  }

  static Problem deadLetters() {
    return missing("there is no list of those that ended badly; one can be requeued by its id");
  }

  private static Problem missing(String what) {
    return Problem.conflict(
        "no_ledger",
        "Tasks are kept in Redis alone here (CONVOKE_DISPATCH_LEDGER=none): " + what + ".",
        Map.of("ledger", "none"));
  }
}
