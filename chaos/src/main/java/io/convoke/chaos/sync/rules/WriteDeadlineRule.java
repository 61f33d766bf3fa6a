package io.convoke.chaos.sync.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Duration;
import java.util.List;

/** An update is tried until its deadline while Postgres is away, unless its server goes too. */
public final class WriteDeadlineRule implements Rule<AvailabilityRule.Calls> {
  /** The deadline of 8 s without the last pause, which it would not outlive. */
  private static final Duration TRIED = Duration.ofMillis(6500);

  /** Updates that begin a sync on two nodes at once may be refused after ten conflicts. */
  private static final int FEW = 3;

  @Override
  public List<RuleViolation> check(AvailabilityRule.Calls calls) {
    List<TimedReply> early =
        calls.replies().stream()
            .filter(it -> it.what().equals("POST") && it.status() == 503)
            .filter(it -> Duration.between(it.sent(), it.answered()).compareTo(TRIED) < 0)
            .filter(
                it ->
                    calls.windows().stream()
                        .noneMatch(
                            window ->
                                window.target().equals(it.target())
                                    && window.touches(it.sent(), it.answered())))
            .toList();
    return early.size() <= FEW
        ? List.of()
        : List.of(
            ViolationKind.REFUSED.found(
                "%d updates were given up before their deadline, such as %s",
                early.size(), early.getFirst()));
  }
}
