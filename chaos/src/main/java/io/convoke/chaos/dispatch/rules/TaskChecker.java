package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import java.time.Duration;
import java.util.List;

/** Checks a history against every rule. */
public final class TaskChecker {
  private static final List<Rule<TaskHistory>> RULES =
      List.of(
          new AcceptedTaskRule(),
          new TaskReplyRule(),
          new OutcomeByHolderRule(),
          new SingleHolderRule(),
          new TaskTransitionRule(),
          Rule.shared(new StreamRule(), TaskHistory::streams),
          Rule.shared(new AvailabilityRule(), TaskHistory::calls),
          new TaskRegionRule(),
          new PodSlotRule(),
          new ProgramEndRule(),
          new QueueTimeoutRule(),
          new StrandedTaskRule(),
          new StoppedTaskRule(),
          new PodDrainRule(),
          new UniqueChannelRule());

  private TaskChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(TaskHistory history) {
    return Rule.check(RULES, history);
  }

  /** Delays from a pod's death being detectable until its tasks moved on, without outages. */
  public static List<Duration> stranded(TaskHistory history) {
    return StrandedTaskRule.taken(history).stream()
        .filter(stranded -> stranded.alone(history))
        .map(stranded -> stranded.late(history))
        .toList();
  }
}
