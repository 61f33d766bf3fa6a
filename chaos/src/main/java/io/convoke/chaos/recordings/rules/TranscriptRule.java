package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/** Each transcript has exactly the spoken lines, each once and in order. */
final class TranscriptRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      List<String> wanted = expected.end().spoken() ? expected.lines() : List.of();
      List<String> transcribed =
          history.row(expected.id()).map(RecordingEndState::lines).orElse(List.of());
      if (!transcribed.equals(wanted)) {
        findings.add(
            kind(wanted, transcribed)
                .found(
                    "%s has %d lines, spoken were %d: %s",
                    RecordingEndRule.name(expected),
                    transcribed.size(),
                    wanted.size(),
                    transcribed));
      }
    }
    return findings;
  }

  private static ViolationKind kind(List<String> wanted, List<String> transcribed) {
    if (!transcribed.containsAll(wanted)) {
      return ViolationKind.LOST;
    }
    return wanted.containsAll(transcribed) ? ViolationKind.DUPLICATED : ViolationKind.INVENTED;
  }
}
