package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** One thing that must hold for every history. */
interface RecordingRule {
  List<RuleViolation> check(RecordingHistory history);
}
