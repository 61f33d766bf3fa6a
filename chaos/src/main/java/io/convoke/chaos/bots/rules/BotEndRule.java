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
    for (BotEndState botEndState : history.bots()) {
      if (!botEndState.over()) {
        findings.add(
            ViolationKind.OPEN.found(
                "bot %d (%s) is still %s",
                botEndState.meetingId(), botEndState.room(), botEndState.status()));
      }
      int orders = botEndState.over() ? 1 : 0;
      if (botEndState.orders() != orders) {
        findings.add(
            (botEndState.orders() > orders ? ViolationKind.DUPLICATED : ViolationKind.LOST)
                .found(
                    "bot %d is %s and its follow-up is enqueued %d times",
                    botEndState.meetingId(), botEndState.status(), botEndState.orders()));
      }
      if (botEndState.over()
          && (botEndState.endTime().isEmpty() || botEndState.reason().isEmpty())) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d ended without an end time or an outcome", botEndState.meetingId()));
      }
      if (botEndState.status().equals("completed") && botEndState.admittedAt().isEmpty()) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d is completed and was never admitted", botEndState.meetingId()));
      }
    }
    return findings;
  }
}
