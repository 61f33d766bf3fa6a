package io.convoke.chaos;

import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The result of one run.
 *
 * @param converged time from the end of the storm to the expected state; empty if never reached
 * @param counts further counts of the summary line
 * @param remarks further counts
 * @param logs the servers' logs, kept if there are violations
 * @param coverage how much the run has seen
 * @param timed latency goals; the same goals in the same order in each run of a scenario
 */
public record RunReport(
    long seed,
    int operations,
    Optional<Duration> converged,
    List<RuleViolation> findings,
    List<String> counts,
    List<String> remarks,
    Path logs,
    Coverage coverage,
    List<TimedGoal> timed) {
  private static final Set<ViolationKind> LOST = EnumSet.of(ViolationKind.LOST, ViolationKind.GAP);
  private static final Set<ViolationKind> DUPLICATED =
      EnumSet.of(ViolationKind.DUPLICATED, ViolationKind.INVENTED);
  private static final Set<ViolationKind> OPEN = EnumSet.of(ViolationKind.OPEN);

  /** A report without latency goals. */
  public RunReport(
      long seed,
      int operations,
      Optional<Duration> converged,
      List<RuleViolation> findings,
      List<String> counts,
      List<String> notes,
      Path logs,
      Coverage coverage) {
    this(seed, operations, converged, findings, counts, notes, logs, coverage, List.of());
  }

  public boolean good() {
    return findings.isEmpty() && converged.isPresent() && !vacuous();
  }

  /** Whether the run has seen too little for its lack of violations to prove anything. */
  public boolean vacuous() {
    return findings.isEmpty() && !coverage.missed().isEmpty();
  }

  /** Summary line; a violation that is neither lost, duplicated nor open counts as illegal. */
  public String line() {
    return String.format(
        Locale.ROOT,
        "seed %d: %d operations, %s%d lost, %d duplicated, %d illegal, %d open after the end, %s:"
            + " %s",
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
        good() ? "ok" : vacuous() ? "VACUOUS" : "WRONG");
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

  private long count(Set<ViolationKind> kinds) {
    return findings.stream().filter(violation -> kinds.contains(violation.kind())).count();
  }

  private static double seconds(Duration span) {
    return span.toMillis() / 1e3;
  }
}
