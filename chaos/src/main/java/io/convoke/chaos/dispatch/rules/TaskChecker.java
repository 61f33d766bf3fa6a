package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import java.time.Duration;
import java.util.List;

/** Checks a history against every rule. */
public final class TaskChecker {
  private static final List<TaskRule> RULES =
      List.of(
          new AcceptedTaskRule(),
          new TaskReplyRule(),
          new OutcomeByHolderRule(),
          new SingleHolderRule(),
          new TaskTransitionRule(),
          new TaskStreamRule(),
          new QueueTimeoutRule(),
          new StrandedTaskRule(),
          new StoppedTaskRule(),
          new PodDrainRule(),
          new UniqueChannelRule());

  private TaskChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(TaskHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }

  /** Delays from a pod's death being detectable until its tasks moved on, without outages. */
  public static List<Duration> stranded(TaskHistory history) {
    return StrandedTaskRule.taken(history).stream()
        .filter(strandedTask -> strandedTask.alone(history))
        .map(strandedTask -> strandedTask.late(history))
        .toList();
  }
}
