package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/** The transcript of each recording is exactly what was said in it, each line once, in order. */
final class TranscriptRule implements RecordingRule {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expectedRecording : history.truths()) {
      List<String> wanted =
          expectedRecording.end().spoken() ? expectedRecording.lines() : List.of();
      List<String> heard =
          history.row(expectedRecording.id()).map(RecordingEndState::lines).orElse(List.of());
      if (!heard.equals(wanted)) {
        findings.add(
            new RuleViolation(
                kind(wanted, heard),
                "%s has %d lines, said were %d: %s"
                    .formatted(
                        RecordingEndRule.name(expectedRecording),
                        heard.size(),
                        wanted.size(),
                        heard)));
      }
    }
    return findings;
  }

  private static ViolationKind kind(List<String> wanted, List<String> heard) {
    if (!heard.containsAll(wanted)) {
      return ViolationKind.LOST;
    }
    return wanted.containsAll(heard) ? ViolationKind.DUPLICATED : ViolationKind.INVENTED;
  }
}
