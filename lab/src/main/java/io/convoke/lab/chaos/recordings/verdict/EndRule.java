package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Each recording of the platform is in the one terminal state that it must come to; no other is.
 */
final class EndRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Truth truth : history.truths()) {
      List<Row> rows = history.rows().stream().filter(row -> row.id().equals(truth.id())).toList();
      if (rows.isEmpty()) {
        findings.add(new Finding(Kind.LOST, name(truth) + " is in no row"));
      }
      rows.forEach(row -> of(truth, row, findings));
    }
    for (Row row : history.rows()) {
      if (history.truths().stream().noneMatch(truth -> truth.id().equals(row.id()))) {
        findings.add(
            new Finding(Kind.INVENTED, "recording " + row.id() + " is none of the platform's"));
      }
    }
    history.left().forEach(left -> findings.add(new Finding(Kind.OPEN, left)));
    return findings;
  }

  private static void of(Truth truth, Row row, List<Finding> findings) {
    boolean open =
        switch (row.status()) {
          case "in_progress", "ready", "processing", "unmatched" -> true;
          default -> false;
        };
    if (open) {
      findings.add(new Finding(Kind.OPEN, name(truth) + " is " + row.status()));
    } else if (!row.status().equals(truth.end().status())) {
      findings.add(
          new Finding(
              Kind.ILLEGAL,
              "%s is %s and must be %s: %s"
                  .formatted(name(truth), row.status(), truth.end().status(), row.steps())));
    }
    boolean placed = row.meeting().map(truth.meetings()::contains).orElse(!truth.end().spoken());
    if (!placed) {
      findings.add(
          new Finding(
              Kind.ILLEGAL,
              "%s belongs to meeting %s, it may belong to %s"
                  .formatted(name(truth), row.meeting(), truth.meetings())));
    }
  }

  static String name(Truth truth) {
    return "recording " + truth.id() + " (" + truth.label() + ")";
  }
}
