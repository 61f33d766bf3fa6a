package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** Checks a history of bots against every rule. */
public final class BotChecker {
  private static final List<BotRule> RULES =
      List.of(
          new LimitRule(),
          new MoveRule(),
          new EndRule(),
          new DeadlineRule(),
          new SilenceRule(),
          new ProcessRule(),
          new RequestRule(),
          new GhostRule());

  private BotChecker() {}

  /** Everything that is wrong; empty for a right history. */
  public static List<Finding> check(BotHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
