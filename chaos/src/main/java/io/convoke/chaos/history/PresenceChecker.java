package io.convoke.chaos.history;

import java.util.List;

/** Checks a history against every rule. */
public final class PresenceChecker {
  private static final List<PresenceRule> RULES =
      List.of(
          new RecordedVisitRule(),
          new ParticipantCountRule(),
          new EventStreamRule(),
          new SessionJournalRule(),
          new MeetingStatusRule(),
          new WebhookAnswerRule());

  private PresenceChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(PresenceHistory presenceHistory) {
    return RULES.stream()
        .flatMap(presenceRule -> presenceRule.check(presenceHistory).stream())
        .toList();
  }
}
