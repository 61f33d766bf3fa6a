package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Journal and rows agree in the number of runs, each of which begins with {@code ready}. */
final class RecordingJournalRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (RecordingEndState row : history.rows()) {
      Optional<String> status = Optional.empty();
      int run = 0;
      for (RecordingTransition transition : history.transitions()) {
        if (!transition.id().equals(row.id())) {
          continue;
        }
        int wanted = run + (transition.to().equals("ready") ? 1 : 0);
        if (transition.run() != wanted) {
          findings.add(found(ViolationKind.COUNT, transition, "the next run is " + wanted));
        }
        status = Optional.of(transition.to());
        run = transition.run();
      }
      if (!status.equals(Optional.of(row.status())) || run != row.run()) {
        findings.add(
            ViolationKind.GAP.found(
                "recording %s is %s in run %d, its last journal entry is %s in run %d",
                row.id(), row.status(), row.run(), status, run));
      }
    }
    return findings;
  }

  private static RuleViolation found(
      ViolationKind kind, RecordingTransition transition, String what) {
    return kind.found(transition + ": " + what);
  }
}
