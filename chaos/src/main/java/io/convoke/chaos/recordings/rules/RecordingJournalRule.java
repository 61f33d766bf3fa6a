package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Journal and rows tell one story: each move begins where the last one ended, and there is one. */
final class RecordingJournalRule implements RecordingRule {
  private static final Map<String, Set<String>> LEGAL =
      Map.of(
          "in_progress",
          Set.of("ready", "unmatched", "empty", "cancelled", "failed", "given_up"),
          "unmatched",
          Set.of("ready", "given_up"),
          "ready",
          Set.of("processing", "failed"),
          "processing",
          Set.of("done", "failed"),
          "failed",
          Set.of("ready"),
          "given_up",
          Set.of("ready"),
          "done",
          Set.of("ready"));

  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (RecordingEndState recordingEndState : history.rows()) {
      Optional<String> status = Optional.empty();
      int run = 0;
      for (RecordingMove recordingMove : history.moves()) {
        if (!recordingMove.id().equals(recordingEndState.id())) {
          continue;
        }
        if (!recordingMove.from().equals(status)) {
          findings.add(
              found(ViolationKind.GAP, recordingMove, "the one before ended at " + status));
        } else if (status.isPresent()
            && !LEGAL.getOrDefault(status.get(), Set.of()).contains(recordingMove.to())) {
          findings.add(found(ViolationKind.ILLEGAL, recordingMove, "there is no such move"));
        }
        int wanted = run + (recordingMove.to().equals("ready") ? 1 : 0);
        if (recordingMove.run() != wanted) {
          findings.add(found(ViolationKind.COUNT, recordingMove, "it must be run " + wanted));
        }
        status = Optional.of(recordingMove.to());
        run = recordingMove.run();
      }
      if (!status.equals(Optional.of(recordingEndState.status()))
          || run != recordingEndState.run()) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP,
                "recording %s is %s in run %d, the journal left it at %s in run %d"
                    .formatted(
                        recordingEndState.id(),
                        recordingEndState.status(),
                        recordingEndState.run(),
                        status,
                        run)));
      }
    }
    return findings;
  }

  private static RuleViolation found(
      ViolationKind violationKind, RecordingMove recordingMove, String what) {
    return new RuleViolation(violationKind, recordingMove + ": " + what);
  }
}
