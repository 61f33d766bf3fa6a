package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Each recording of the platform has a row in its expected terminal state, and there are no other
 * rows.
 */
final class RecordingEndRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expectedRecording : history.expectedRecordings()) {
      List<RecordingEndState> rows =
          history.rows().stream()
              .filter(recordingEndState -> recordingEndState.id().equals(expectedRecording.id()))
              .toList();
      if (rows.isEmpty()) {
        findings.add(ViolationKind.LOST.found(name(expectedRecording) + " has no row"));
      }
      rows.forEach(recordingEndState -> of(expectedRecording, recordingEndState, findings));
    }
    for (RecordingEndState recordingEndState : history.rows()) {
      if (history.expectedRecordings().stream()
          .noneMatch(expectedRecording -> expectedRecording.id().equals(recordingEndState.id()))) {
        findings.add(
            ViolationKind.INVENTED.found(
                "recording " + recordingEndState.id() + " is not on the platform"));
      }
    }
    history.left().forEach(left -> findings.add(ViolationKind.OPEN.found(left)));
    return findings;
  }

  private static void of(
      ExpectedRecording expectedRecording,
      RecordingEndState recordingEndState,
      List<RuleViolation> findings) {
    boolean open =
        switch (recordingEndState.status()) {
          case "in_progress", "ready", "processing", "unmatched" -> true;
          default -> false;
        };
    if (open) {
      findings.add(
          ViolationKind.OPEN.found(name(expectedRecording) + " is " + recordingEndState.status()));
    } else if (!recordingEndState.status().equals(expectedRecording.end().status())) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s is %s, expected %s: %s",
              name(expectedRecording),
              recordingEndState.status(),
              expectedRecording.end().status(),
              recordingEndState.steps()));
    }
    boolean placed =
        recordingEndState
            .meeting()
            .map(expectedRecording.meetings()::contains)
            .orElse(!expectedRecording.end().spoken());
    if (!placed) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s belongs to meeting %s, expected one of %s",
              name(expectedRecording), recordingEndState.meeting(), expectedRecording.meetings()));
    }
  }

  static String name(ExpectedRecording expectedRecording) {
    return "recording " + expectedRecording.id() + " (" + expectedRecording.label() + ")";
  }
}
