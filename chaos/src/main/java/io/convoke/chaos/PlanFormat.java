package io.convoke.chaos;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How plans speak of times and chances. */
public final class PlanFormat {
  private PlanFormat() {}

  /** Something that happens at a time of the storm. */
  public static String at(Duration at, String what) {
    return "at " + seconds(at) + " " + what;
  }

  /** Something that happens at the first occasion from a time on. */
  public static String from(Duration at, String what) {
    return "from " + seconds(at) + " on " + what;
  }

  /** What goes wrong now and then, and how often. */
  public static String chances(Map<FaultKind, FaultSetting> faults) {
    return faults.entrySet().stream()
        .map(
            entry ->
                String.format(
                    Locale.ROOT,
                    "%s %.0f %%",
                    entry.getKey().wireName(),
                    entry.getValue().probability() * 100))
        .collect(Collectors.joining(", "));
  }

  public static String seconds(Duration span) {
    return String.format(Locale.ROOT, "%.1f s", span.toMillis() / 1e3);
  }
}
