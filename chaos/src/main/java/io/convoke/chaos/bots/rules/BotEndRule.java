package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Every bot ended, no reservation is left, post-processing is enqueued exactly once, and only
 * admitted bots are completed.
 */
final class BotEndRule implements Rule<BotHistory> {
  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (BotEndState bot : history.bots()) {
      if (!bot.over()) {
        findings.add(
            ViolationKind.OPEN.found(
                "bot %d (%s) is still %s", bot.meetingId(), bot.room(), bot.status()));
      }
      int orders = bot.over() ? 1 : 0;
      if (bot.orders() != orders) {
        findings.add(
            (bot.orders() > orders ? ViolationKind.DUPLICATED : ViolationKind.LOST)
                .found(
                    "bot %d is %s and its follow-up is enqueued %d times",
                    bot.meetingId(), bot.status(), bot.orders()));
      }
      if (bot.over() && (bot.endTime().isEmpty() || bot.reason().isEmpty())) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d ended without an end time or an outcome", bot.meetingId()));
      }
      if (bot.status().equals("completed") && bot.admittedAt().isEmpty()) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d is completed and was never admitted", bot.meetingId()));
      }
    }
    return findings;
  }
}
