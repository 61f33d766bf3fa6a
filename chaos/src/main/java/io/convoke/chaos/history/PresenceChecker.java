package io.convoke.chaos.history;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.ReadBackRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TenantRule;
import java.util.List;

/** Checks a history against every rule. */
public final class PresenceChecker {
  private static final List<Rule<PresenceHistory>> RULES =
      List.of(
          Rule.named("RecordedVisitRule", VisitRules::recordedVisit),
          Rule.named("ParticipantCountRule", VisitRules::participantCount),
          Rule.shared(new StreamRule(), PresenceHistory::streams),
          Rule.shared(new TenantRule(), history -> history.streams().reads()),
          Rule.named("SessionJournalRule", VisitRules::sessionJournal),
          Rule.named("ParticipantEventRule", ParticipantRules::participantEvent),
          Rule.named("SessionPersonRule", ParticipantRules::sessionPerson),
          Rule.named("RoomMeetingsRule", ParticipantRules::roomMeetings),
          Rule.shared(new LifecycleRule(), PresenceHistory::lives),
          Rule.shared(new LifecycleRule(), PresenceHistory::botLives),
          Rule.shared(new ReadBackRule(), history -> history.end().reads()),
          Rule.named("ShownPresenceRule", PresenceAnswerRules::shownPresence),
          Rule.named("WebhookAnswerRule", PresenceAnswerRules::webhookAnswer),
          Rule.shared(new AvailabilityRule(), PresenceHistory::webhooks),
          Rule.shared(new AvailabilityRule(), PresenceHistory::api));

  private PresenceChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(PresenceHistory history) {
    return Rule.check(RULES, history);
  }
}
