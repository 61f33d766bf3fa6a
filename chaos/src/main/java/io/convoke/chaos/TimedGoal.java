package io.convoke.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Latencies of one operation in a run, with an optional goal.
 *
 * @param goal maximum of the p99 over all runs, if there is one
 */
public record TimedGoal(String what, Optional<Duration> goal, List<Duration> spans) {
  private static final double P99 = 0.99;
  private static final double MEDIAN = 0.5;

  /**
   * Below this many samples the p99 is the maximum, so that a single outlier would decide: the
   * median is judged instead.
   */
  private static final int ENOUGH = 100;

  /** Fewer samples say nothing. */
  private static final int FEWEST = 10;

  /** Merges the latencies of all runs so far and of another, by position. */
  static List<TimedGoal> together(List<TimedGoal> before, List<TimedGoal> now) {
    if (before.isEmpty()) {
      return now;
    }
    List<TimedGoal> all = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      all.add(before.get(i).and(now.get(i)));
    }
    return List.copyOf(all);
  }

  /** Merges the samples of two runs. */
  TimedGoal and(TimedGoal other) {
    List<Duration> all = new ArrayList<>(spans);
    all.addAll(other.spans);
    return new TimedGoal(what, goal, List.copyOf(all));
  }

  boolean kept() {
    return goal.isEmpty()
        || spans.size() < FEWEST
        || at(spans.size() < ENOUGH ? MEDIAN : P99).compareTo(goal.get()) <= 0;
  }

  /** Summary line. */
  String line() {
    if (spans.isEmpty()) {
      return what + ": never";
    }
    String text =
        String.format(
            Locale.ROOT,
            "%s: %d samples, median %d ms, p99 %d ms, worst %d ms",
            what,
            spans.size(),
            at(MEDIAN).toMillis(),
            at(P99).toMillis(),
            at(1).toMillis());
    return goal.map(most -> text + " (" + judged(most) + ")").orElse(text);
  }

  private String judged(Duration most) {
    String result = !kept() ? "MISSED" : spans.size() < ENOUGH ? "too few to judge" : "kept";
    return "goal: p99 at most %d ms, %s".formatted(most.toMillis(), result);
  }

  /** Percentile by nearest rank. */
  private Duration at(double share) {
    List<Duration> sorted = spans.stream().sorted().toList();
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.get(Math.max(0, rank - 1));
  }
}
