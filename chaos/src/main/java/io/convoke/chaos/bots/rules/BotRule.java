package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** An invariant of bot histories. */
interface BotRule {
  List<RuleViolation> check(BotHistory history);
}
