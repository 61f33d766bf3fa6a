package io.convoke.chaos;

import io.convoke.chaos.results.Measurement.Grid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Reports of one scenario, summarized as a table for {@code docs/results}. */
record ChaosRecord(String scenario, List<RunReport> verdicts, List<TimedGoal> timed) {
  Grid table() {
    List<RunReport> wrong = verdicts.stream().filter(one -> !one.good()).toList();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("operations", number(sum(RunReport::operations))));
    rows.add(
        List.of(
            "lost, duplicated, illegal, open after the end",
            "%d, %d, %d, %d"
                .formatted(
                    sum(RunReport::lost),
                    sum(RunReport::duplicated),
                    sum(RunReport::illegal),
                    sum(RunReport::open))));
    if (!wrong.isEmpty()) {
      rows.add(
          List.of(
              "wrong seeds",
              String.join(", ", wrong.stream().map(one -> Long.toString(one.seed())).toList())));
    }
    rows.add(List.of("converged after, median and longest", converged()));
    timed.forEach(one -> rows.add(List.of("timed", one.line())));
    String title =
        "%s: %d seeds from %d, %d ok"
            .formatted(
                scenario,
                verdicts.size(),
                verdicts.getFirst().seed(),
                verdicts.size() - wrong.size());
    return new Grid(title, List.of("measured", "value"), rows);
  }

  private String converged() {
    List<Duration> spans =
        verdicts.stream().map(RunReport::converged).flatMap(Optional::stream).sorted().toList();
    return spans.isEmpty()
        ? "never"
        : String.format(
            Locale.ROOT,
            "%.1f s, %.1f s",
            spans.get((spans.size() - 1) / 2).toMillis() / 1e3,
            spans.getLast().toMillis() / 1e3);
  }

  private long sum(ToLongFunction<RunReport> of) {
    return verdicts.stream().mapToLong(of).sum();
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
