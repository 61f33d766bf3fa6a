package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** Checks a history against every rule. */
public final class RecordingChecker {
  private static final List<RecordingRule> RULES =
      List.of(
          new RecordingEndRule(),
          new TranscriptRule(),
          new CrmNoteRule(),
          new StepCommitRule(),
          new OutsideEffectRule(),
          new RecordingJournalRule(),
          new SyncStatusRule(),
          new BlobStoreRule(),
          new RecordingReplyRule());

  private RecordingChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(RecordingHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
