package io.convoke.lab.chaos.history;

import java.util.List;

/** Checks a history against every rule. */
public final class Checker {
  private static final List<Rule> RULES =
      List.of(
          new VisitRule(),
          new CountRule(),
          new StreamRule(),
          new NarrativeRule(),
          new StatusRule(),
          new AnswerRule());

  private Checker() {}

  /** Everything that is wrong; empty for a right history. */
  public static List<Finding> check(History history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
