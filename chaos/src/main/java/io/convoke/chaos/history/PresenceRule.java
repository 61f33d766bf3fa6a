package io.convoke.chaos.history;

import java.util.List;

/** An invariant of presence histories. */
interface PresenceRule {
  List<RuleViolation> check(PresenceHistory presenceHistory);
}
