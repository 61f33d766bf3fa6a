package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was stopped is not started: no attempt is given out after the stop was acknowledged, and it
 * ends as something that was stopped, or had ended before. A stop that was acknowledged while Redis
 * was away is written down and told to Redis later; until then somebody may be given the task.
 */
final class StopRule implements TaskRule {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** From a claim to the first word of its program, on a machine that is full of others. */
  private static final Duration START_MAX = Duration.ofSeconds(4);

  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, List<Move>> story = history.story();
    for (Stop stop : history.stops()) {
      if (stop.acknowledged()) {
        List<Move> moves = story.getOrDefault(stop.id(), List.of());
        started(history, stop, moves, findings);
        ended(history, stop, findings);
      }
    }
    return findings;
  }

  private static void started(
      TaskHistory history, Stop stop, List<Move> moves, List<Finding> findings) {
    if (untold(history, stop)) {
      return;
    }
    Instant from = stop.answered().plus(GRAIN);
    for (Move move : moves) {
      if (move.claim() && move.at().isAfter(from)) {
        findings.add(new Finding(Kind.ILLEGAL, move + " was given out after " + stop));
      }
    }
    for (Attempt attempt : history.attempts(stop.id())) {
      if (attempt.begun().isAfter(from.plus(START_MAX))) {
        findings.add(new Finding(Kind.ILLEGAL, attempt + " began after " + stop));
      }
    }
  }

  /** Redis may not have heard of it at once. */
  private static boolean untold(TaskHistory history, Stop stop) {
    return history.troubled(stop.sent().minusSeconds(1), stop.answered().plus(GRAIN));
  }

  private static void ended(TaskHistory history, Stop stop, List<Finding> findings) {
    Optional<Row> found = history.row(stop.id());
    if (found.isEmpty()) {
      findings.add(new Finding(Kind.LOST, stop + ": the ledger has no such task"));
      return;
    }
    Row row = found.get();
    boolean before = row.completedAt().map(at -> at.isBefore(stop.answered())).orElse(false);
    boolean stopped =
        row.state().equals("SUCCESS")
            || (row.state().equals("FAILED") && row.error().equals("stopped"))
            || (row.state().equals("TIMEOUT") && untold(history, stop));
    if (!before && !stopped && row.terminal()) {
      findings.add(new Finding(Kind.ILLEGAL, row + " does not end as stopped by " + stop));
    }
  }
}
