package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.time.Duration;
import java.util.List;

/** Checks a history against every rule. */
public final class TaskChecker {
  private static final List<TaskRule> RULES =
      List.of(
          new AcceptedRule(),
          new AnswerRule(),
          new OutcomeRule(),
          new HolderRule(),
          new StoryRule(),
          new StreamRule(),
          new WindowRule(),
          new StrandedRule(),
          new StopRule(),
          new DrainRule(),
          new UniqueRule());

  private TaskChecker() {}

  /** Everything that is wrong; empty for a right history. */
  public static List<Finding> check(TaskHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }

  /** How long after a pod's death was noticeable what it held moved on, where nothing kept it. */
  public static List<Duration> stranded(TaskHistory history) {
    return StrandedRule.taken(history).stream()
        .filter(taken -> taken.alone(history))
        .map(taken -> taken.late(history))
        .toList();
  }
}
