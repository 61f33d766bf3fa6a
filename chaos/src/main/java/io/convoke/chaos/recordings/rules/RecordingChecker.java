package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import java.util.List;

/** Checks a history against every rule. */
public final class RecordingChecker {
  private static final List<Rule<RecordingHistory>> RULES =
      List.of(
          new RecordingEndRule(),
          new TranscriptRule(),
          new CrmNoteRule(),
          new StepCommitRule(),
          new OutsideEffectRule(),
          new RecordingJournalRule(),
          Rule.shared(new LifecycleRule(), RecordingHistory::lives),
          Rule.shared(new StreamRule(), RecordingHistory::streams),
          Rule.shared(new AvailabilityRule(), RecordingHistory::calls),
          new AutomaticRetryRule(),
          new AudioPermissionRule(),
          new SyncStatusRule(),
          new BlobStoreRule(),
          new RecordingReplyRule());

  private RecordingChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(RecordingHistory history) {
    return Rule.check(RULES, history);
  }
}
