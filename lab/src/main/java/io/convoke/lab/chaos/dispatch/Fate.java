package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.dispatch.verdict.Asked;
import java.time.Duration;
import java.util.Locale;

/**
 * What a task's program does.
 *
 * @param work how long it works before it ends by itself
 * @param again attempts that end with "try again"
 */
record Fate(Kind kind, Duration work, int again) {
  /** How a program behaves. */
  enum Kind {
    SUCCEEDS,
    FAILS,
    /** It takes no notice of SIGTERM. */
    DEAF
  }

  /** As the program reads it. */
  String words() {
    return String.format(
        Locale.ROOT,
        "%s %.2f %d",
        kind.name().toLowerCase(Locale.ROOT),
        work.toMillis() / 1e3,
        again);
  }

  Asked.End end() {
    return kind == Kind.FAILS ? Asked.End.FAILS : Asked.End.SUCCEEDS;
  }
}
