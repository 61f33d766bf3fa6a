package io.convoke.chaos.history;

import java.util.List;

/** One thing that must hold for every history. */
interface PresenceRule {
  List<RuleViolation> check(PresenceHistory presenceHistory);
}
