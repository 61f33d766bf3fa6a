package io.convoke.chaos;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats times and probabilities in plans. */
public final class PlanFormat {
  private PlanFormat() {}

  /** A step at a fixed time. */
  public static String at(Duration at, String what) {
    return "at " + seconds(at) + " " + what;
  }

  /** A step at the first opportunity after a time. */
  public static String from(Duration at, String what) {
    return "from " + seconds(at) + " on " + what;
  }

  /** Fault probabilities. */
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
