package io.convoke.simulator.script;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Spans of time as people write them: {@code 90s}, {@code 1m30s}, {@code 250ms}, {@code 2h}. */
public final class DurationFormat {

  private DurationFormat() {}

  /** The span that this text means, if it means one. */
  public static Optional<Duration> read(String text) {
    String compact = text.trim().toLowerCase(Locale.ROOT).replace(" ", "");
    if (compact.matches("\\d+ms")) {
      return Optional.of(Duration.ofMillis(Long.parseLong(compact.replace("ms", ""))));
    }
    if (!compact.matches("(\\d+h)?(\\d+m)?(\\d+(\\.\\d+)?s)?") || compact.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Duration.parse("PT" + compact));
    } catch (DateTimeException tooLarge) {
      return Optional.empty();
    }
  }

  /** The shortest text that {@link #read} understands. */
  public static String write(Duration span) {
    return span.toMillis() % 1000 == 0
        ? span.toString().substring(2).toLowerCase(Locale.ROOT)
        : span.toMillis() + "ms";
  }
}
