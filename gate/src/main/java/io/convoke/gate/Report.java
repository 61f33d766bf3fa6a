package io.convoke.gate;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the user reads: a line for each class, failures at once, skips and the sum at the end. */
final class Report {
  private static final int LONGEST_SHOWN = 20;

  private final PrintStream out;
  private final int classes;
  private final List<ClassResult> results = new ArrayList<>();

  Report(PrintStream out, int classes) {
    this.out = out;
    this.classes = classes;
  }

  synchronized void add(ClassResult result) {
    results.add(result);
    out.printf(
        "[%d/%d] %s %s: %d passed, %d failed, %d skipped, %.1f s, CPU %.1f s%n",
        results.size(),
        classes,
        result.test().module(),
        result.test().shortName(),
        result.count(TestEvent.TestEventKind.PASSED),
        result.count(TestEvent.TestEventKind.FAILED),
        result.count(TestEvent.TestEventKind.SKIPPED),
        seconds(result.took()),
        seconds(result.cpu()));
    result.of(TestEvent.TestEventKind.FAILED).forEach(failure -> failed(result, failure));
    if (!result.printed().isEmpty()) {
      out.printf("--- the last output of %s%n%s%n---%n", result.test().name(), result.printed());
    }
  }

  private void failed(ClassResult result, TestEvent failure) {
    out.printf("FAILED %s %s%n%s%n", result.test().module(), failure.test(), failure.detail());
  }

  /** Prints the summary and returns whether all is well. */
  synchronized boolean close(Duration took) {
    long passed = count(TestEvent.TestEventKind.PASSED);
    long failed = count(TestEvent.TestEventKind.FAILED);
    long skipped = count(TestEvent.TestEventKind.SKIPPED);
    out.printf("%nThe longest tests:%n");
    results.stream()
        .flatMap(result -> result.tests().stream())
        .sorted(Comparator.comparingLong(TestEvent::millis).reversed())
        .limit(LONGEST_SHOWN)
        .forEach(it -> out.printf("  %5.1f s %s%n", it.millis() / 1000.0, it.test()));
    out.printf(
        "%d classes took %.0f s one after the other, %.0f s of CPU in their JVMs, %.0f s here.%n",
        results.size(),
        results.stream().mapToDouble(it -> seconds(it.took())).sum(),
        results.stream().mapToDouble(it -> seconds(it.cpu())).sum(),
        seconds(took));
    if (skipped > 0) {
      out.printf("%nSKIPPED, NOT TESTED: %d tests%n", skipped);
      skips().forEach((why, tests) -> out.printf("  %s: %s%n", why, String.join(", ", tests)));
    }
    if (failed > 0) {
      out.printf("%nFAILED:%n");
      results.forEach(
          result ->
              result
                  .of(TestEvent.TestEventKind.FAILED)
                  .forEach(
                      it ->
                          out.printf(
                              "  %s %s%n    again: ./convoke test --only %s%n",
                              result.test().module(), it.test(), result.test().shortName())));
    }
    out.printf("%n%d passed, %d failed, %d skipped%n", passed, failed, skipped);
    return failed == 0 && passed > 0;
  }

  /** The names of skipped tests by the reason. */
  private Map<String, List<String>> skips() {
    Map<String, List<String>> byReason = new TreeMap<>();
    for (ClassResult result : results) {
      for (TestEvent skip : result.of(TestEvent.TestEventKind.SKIPPED)) {
        boolean _ =
            byReason.computeIfAbsent(skip.detail(), _ -> new ArrayList<>()).add(skip.test());
      }
    }
    return byReason;
  }

  private long count(TestEvent.TestEventKind kind) {
    return results.stream().mapToLong(it -> it.count(kind)).sum();
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
