package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Nothing is done outside that was not claimed: each claim of a step does its work once at most.
 */
final class OutsideEffectRule implements RecordingRule {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (RecordingEndState recordingEndState : history.rows()) {
      for (String step : List.of("transcribe", "push")) {
        long done =
            history.effects().stream()
                .filter(
                    it -> it.recordingId().equals(recordingEndState.id()) && it.step().equals(step))
                .count();
        if (done > recordingEndState.attempts(step)) {
          findings.add(
              new RuleViolation(
                  ViolationKind.DUPLICATED,
                  "%s of recording %s was done %d times and claimed %d times"
                      .formatted(
                          step, recordingEndState.id(), done, recordingEndState.attempts(step))));
        }
      }
    }
    return findings;
  }
}
