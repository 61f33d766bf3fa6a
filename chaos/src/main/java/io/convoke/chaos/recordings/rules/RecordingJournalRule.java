package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Journal and rows agree: each transition is valid and starts from the status before it. */
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
      for (RecordingTransition transition : history.transitions()) {
        if (!transition.id().equals(recordingEndState.id())) {
          continue;
        }
        if (!transition.from().equals(status)) {
          findings.add(found(ViolationKind.GAP, transition, "the run before ended at " + status));
        } else if (status.isPresent()
            && !LEGAL.getOrDefault(status.get(), Set.of()).contains(transition.to())) {
          findings.add(found(ViolationKind.ILLEGAL, transition, "no such transition"));
        }
        int wanted = run + (transition.to().equals("ready") ? 1 : 0);
        if (transition.run() != wanted) {
          findings.add(found(ViolationKind.COUNT, transition, "the next run is " + wanted));
        }
        status = Optional.of(transition.to());
        run = transition.run();
      }
      if (!status.equals(Optional.of(recordingEndState.status()))
          || run != recordingEndState.run()) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP,
                "recording %s is %s in run %d, its last journal entry is %s in run %d"
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
      ViolationKind violationKind, RecordingTransition transition, String what) {
    return new RuleViolation(violationKind, transition + ": " + what);
  }
}
