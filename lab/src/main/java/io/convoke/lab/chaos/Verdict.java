package io.convoke.lab.chaos;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What came out of one run.
 *
 * @param converged how long after the storm all was right; empty if it never was
 * @param counts what else the one line counts
 * @param notes what was counted besides
 * @param logs of the servers, kept when something is wrong
 * @param timed what was timed; the same things in the same order in each run of a scenario
 */
public record Verdict(
    long seed,
    int operations,
    Optional<Duration> converged,
    List<Finding> findings,
    List<String> counts,
    List<String> notes,
    Path logs,
    List<Timed> timed) {
  private static final Set<Kind> LOST = EnumSet.of(Kind.LOST, Kind.GAP);
  private static final Set<Kind> DUPLICATED = EnumSet.of(Kind.DUPLICATED, Kind.INVENTED);
  private static final Set<Kind> OPEN = EnumSet.of(Kind.OPEN);

  /** A verdict of a run in which nothing was timed. */
  public Verdict(
      long seed,
      int operations,
      Optional<Duration> converged,
      List<Finding> findings,
      List<String> counts,
      List<String> notes,
      Path logs) {
    this(seed, operations, converged, findings, counts, notes, logs, List.of());
  }

  public boolean good() {
    return findings.isEmpty() && converged.isPresent();
  }

  /** The one line that sums it up; whatever is neither lost, duplicated nor open is illegal. */
  public String line() {
    return String.format(
        Locale.ROOT,
        "seed %d: %d operations, %s%d lost, %d duplicated, %d illegal, %d open after the end, %s: %s",
        seed,
        operations,
        counts.stream().map(count -> count + ", ").collect(Collectors.joining()),
        lost(),
        duplicated(),
        illegal(),
        open(),
        converged
            .map(span -> String.format(Locale.ROOT, "converged after %.1f s", seconds(span)))
            .orElse("not converged"),
        good() ? "ok" : "WRONG");
  }

  long lost() {
    return count(LOST);
  }

  long duplicated() {
    return count(DUPLICATED);
  }

  long open() {
    return count(OPEN);
  }

  long illegal() {
    return findings.size() - lost() - duplicated() - open();
  }

  private long count(Set<Kind> kinds) {
    return findings.stream().filter(finding -> kinds.contains(finding.kind())).count();
  }

  private static double seconds(Duration span) {
    return span.toMillis() / 1e3;
  }
}
