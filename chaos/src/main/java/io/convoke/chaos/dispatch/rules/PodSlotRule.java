package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A pod never runs more programs at once than it has slots. Only programs that logged their end are
 * counted: of others it is not known how long they ran.
 */
final class PodSlotRule implements Rule<TaskHistory> {
  /** Log times have a precision of a hundredth of a second. */
  private static final Duration GRAIN = Duration.ofMillis(30);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ObservedAttempt>> byPod =
        history.attempts().stream()
            .filter(attempt -> attempt.ended().isPresent())
            .collect(Collectors.groupingBy(ObservedAttempt::pod));
    byPod.forEach(
        (pod, attempts) -> {
          for (ObservedAttempt one : attempts) {
            List<ObservedAttempt> together =
                attempts.stream()
                    .filter(other -> !other.startedAt().isAfter(one.startedAt()))
                    .filter(
                        other -> other.ended().orElseThrow().isAfter(one.startedAt().plus(GRAIN)))
                    .toList();
            if (together.size() > history.evidence().slots()) {
              findings.add(
                  ViolationKind.COUNT.found(
                      "pod %s runs %d programs at once: %s", pod, together.size(), together));
              break;
            }
          }
        });
    return findings;
  }
}
