package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** Checks a history against every rule. */
public final class RecordingChecker {
  private static final List<RecordingRule> RULES =
      List.of(
          new EndRule(),
          new WordsRule(),
          new CrmRule(),
          new CommitRule(),
          new EffectRule(),
          new StoryRule(),
          new SyncRule(),
          new StoreRule(),
          new AnswerRule());

  private RecordingChecker() {}

  /** Everything that is wrong; empty for a right history. */
  public static List<Finding> check(RecordingHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
