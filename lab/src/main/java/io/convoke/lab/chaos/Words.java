package io.convoke.lab.chaos;

import java.time.Duration;
import java.util.Locale;

/** How plans speak of times. */
public final class Words {
  private Words() {}

  /** Something that happens at a time of the storm. */
  public static String at(Duration at, String what) {
    return "at " + seconds(at) + " " + what;
  }

  /** Something that happens at the first occasion from a time on. */
  public static String from(Duration at, String what) {
    return "from " + seconds(at) + " on " + what;
  }

  public static String seconds(Duration span) {
    return String.format(Locale.ROOT, "%.1f s", span.toMillis() / 1e3);
  }
}
