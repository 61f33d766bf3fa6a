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
    for (ExpectedRecording expected : history.expectedRecordings()) {
      List<RecordingEndState> rows =
          history.rows().stream().filter(row -> row.id().equals(expected.id())).toList();
      if (rows.isEmpty()) {
        findings.add(ViolationKind.LOST.found(name(expected) + " has no row"));
      }
      rows.forEach(row -> of(expected, row, findings));
    }
    for (RecordingEndState row : history.rows()) {
      if (history.expectedRecordings().stream()
          .noneMatch(expected -> expected.id().equals(row.id()))) {
        findings.add(
            ViolationKind.INVENTED.found("recording " + row.id() + " is not on the platform"));
      }
    }
    history.left().forEach(left -> findings.add(ViolationKind.OPEN.found(left)));
    return findings;
  }

  private static void of(
      ExpectedRecording expected, RecordingEndState row, List<RuleViolation> findings) {
    boolean open =
        switch (row.status()) {
          case "in_progress", "ready", "processing", "unmatched" -> true;
          default -> false;
        };
    if (open) {
      findings.add(ViolationKind.OPEN.found(name(expected) + " is " + row.status()));
    } else if (!row.status().equals(expected.end().status())) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s is %s, expected %s: %s",
              name(expected), row.status(), expected.end().status(), row.steps()));
    }
    boolean placed =
        row.meeting().map(expected.meetings()::contains).orElse(!expected.end().spoken());
    if (!placed) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s belongs to meeting %s, expected one of %s",
              name(expected), row.meeting(), expected.meetings()));
    }
  }

  static String name(ExpectedRecording expected) {
    return "recording " + expected.id() + " (" + expected.label() + ")";
  }
}
