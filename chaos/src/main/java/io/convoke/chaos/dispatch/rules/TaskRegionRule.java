package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A new task for a region goes to a pod of another one only after it has waited for its own, or
 * while that has no live pod. A task that came back may go anywhere.
 */
final class TaskRegionRule implements Rule<TaskHistory> {
  private static final Duration GRAIN = Duration.ofMillis(50);

  /** Time for a killed or drained pod to be replaced. */
  private static final Duration RETURNS = Duration.ofSeconds(5);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    Map<String, String> wanted = new HashMap<>();
    history
        .requestedTasks()
        .forEach(task -> task.region().ifPresent(it -> wanted.put(task.request(), it)));
    List<RuleViolation> findings = new ArrayList<>();
    history
        .transitionsByTask()
        .forEach(
            (id, transitions) -> {
              Optional<String> region =
                  history.row(id).flatMap(row -> Optional.ofNullable(wanted.get(row.request())));
              if (region.isPresent()) {
                Instant since = transitions.getFirst().at();
                transitions.stream()
                    .filter(one -> one.claim() && one.attempt() == 1)
                    .findFirst()
                    .flatMap(claim -> check(history, claim, since, region.get()))
                    .ifPresent(findings::add);
              }
            });
    return findings;
  }

  /** Whether Redis lost data, or a pod of that region may have counted as dead or was drained. */
  private static boolean excused(TaskHistory history, Instant since, Instant at, String region) {
    Instant before = since.minus(RETURNS);
    Map<String, String> regions = history.evidence().regions();
    return history.troubled(before, at)
        || history.silences().stream()
            .anyMatch(
                silent ->
                    region.equals(regions.getOrDefault(silent.pod(), region))
                        && silent.from().isBefore(at)
                        && silent.from().isAfter(before.minus(RETURNS))
                        && !silent.over(before))
        || history.drained().stream()
            .anyMatch(
                drained ->
                    region.equals(regions.getOrDefault(drained.pod(), region))
                        && drained.from().isBefore(at)
                        && drained.to().isAfter(before));
  }

  private static Optional<RuleViolation> check(
      TaskHistory history, ObservedTransition claim, Instant since, String region) {
    String taken =
        claim
            .pod()
            .flatMap(pod -> Optional.ofNullable(history.evidence().regions().get(pod)))
            .orElse(region);
    boolean early = claim.at().isBefore(since.plus(history.evidence().overflow()).minus(GRAIN));
    return taken.equals(region) || !early || excused(history, since, claim.at(), region)
        ? Optional.empty()
        : Optional.of(
            ViolationKind.ILLEGAL.found(
                "%s went to a pod in %s after %d ms, it was for %s",
                claim, taken, Duration.between(since, claim.at()).toMillis(), region));
  }
}
