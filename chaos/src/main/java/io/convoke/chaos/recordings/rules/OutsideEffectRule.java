package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/** Every outside effect has a claim: each claim of a step has at most one. */
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
                  "%s of recording %s ran %d times and was claimed %d times"
                      .formatted(
                          step, recordingEndState.id(), done, recordingEndState.attempts(step))));
        }
      }
    }
    return findings;
  }
}
