package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** An invariant of recording histories. */
interface RecordingRule {
  List<RuleViolation> check(RecordingHistory history);
}
