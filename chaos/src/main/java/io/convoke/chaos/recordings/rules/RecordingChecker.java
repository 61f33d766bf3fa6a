package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.ReadBackRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TenantRule;
import java.util.List;

/** Checks a history against every rule. */
public final class RecordingChecker {
  private static final List<Rule<RecordingHistory>> RULES =
      List.of(
          Rule.named("RecordingEndRule", RecordingEndRules::recordingEnd),
          Rule.named("TranscriptRule", RecordingEndRules::transcript),
          Rule.named("CrmNoteRule", RecordingEndRules::crmNote),
          Rule.named("StepCommitRule", RecordingStepRules::stepCommit),
          Rule.named("OutsideEffectRule", RecordingStepRules::outsideEffect),
          Rule.named("RecordingJournalRule", RecordingStepRules::recordingJournal),
          Rule.shared(new LifecycleRule(), RecordingHistory::lives),
          Rule.shared(new StreamRule(), RecordingHistory::streams),
          Rule.shared(new TenantRule(), history -> history.streams().reads()),
          Rule.shared(new AvailabilityRule(), RecordingHistory::calls),
          Rule.named("AutomaticRetryRule", RecordingStepRules::automaticRetry),
          Rule.named("RepeatedStepRule", RecordingRunRules::repeatedStep),
          Rule.named("RecordingEventRule", RecordingRunRules::recordingEvent),
          Rule.named("RedisAwayRule", RecordingRunRules::withoutRedis),
          Rule.shared(new ReadBackRule(), history -> history.evidence().reads()),
          Rule.named("SyncStatusRule", RecordingEndRules::syncStatus),
          Rule.named("BlobStoreRule", RecordingEndRules::blobStore),
          Rule.named("RecordingReplyRule", RecordingStepRules::recordingReply));

  private RecordingChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(RecordingHistory history) {
    return Rule.check(RULES, history);
  }
}
