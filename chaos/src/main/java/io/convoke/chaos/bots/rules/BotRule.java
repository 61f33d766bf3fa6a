package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** One thing that must hold for the bots of every run. */
interface BotRule {
  List<RuleViolation> check(BotHistory history);
}
