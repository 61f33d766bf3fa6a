package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A committed step stays committed within its run, and its transaction also committed its outputs:
 * the audio's checksum, the exact transcript, the document, the sync status. Epochs and runs only
 * grow, and a recording in a terminal state is not processed.
 */
final class StepCommitRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ExpectedRecording> expectedRecordings = new HashMap<>();
    history
        .expectedRecordings()
        .forEach(expected -> expectedRecordings.put(expected.id(), expected));
    Map<String, RowChange> before = new HashMap<>();
    for (RowChange change : history.changes()) {
      Optional<RowChange> last = Optional.ofNullable(before.put(change.id(), change));
      last.ifPresent(it -> order(it, change, findings));
      for (StepRow step : change.steps()) {
        Optional<StepRow> was = last.flatMap(it -> it.step(step.name()));
        boolean sameRun = last.filter(it -> it.run() == change.run()).isPresent();
        if (sameRun && was.filter(StepRow::over).isPresent() && !was.get().equals(step)) {
          findings.add(
              found(
                  ViolationKind.DUPLICATED,
                  change,
                  "%s was %s and is %s".formatted(step.name(), was.get(), step)));
        }
        boolean ends = step.state().equals("done") && was.filter(StepRow::over).isEmpty();
        if (ends) {
          output(change, step.name(), expectedRecordings.get(change.id()), findings);
        }
      }
    }
    return findings;
  }

  private static void order(RowChange last, RowChange change, List<RuleViolation> findings) {
    if (change.epoch() < last.epoch() || change.run() < last.run()) {
      findings.add(
          found(
              ViolationKind.SEQUENCE,
              change,
              "run %d, epoch %d after run %d, epoch %d"
                  .formatted(change.run(), change.epoch(), last.run(), last.epoch())));
    }
    boolean over =
        switch (last.status()) {
          case "done", "failed", "cancelled", "empty", "given_up" -> true;
          default -> false;
        };
    if (over && change.run() == last.run() && !change.status().equals(last.status())) {
      findings.add(
          found(
              ViolationKind.ILLEGAL,
              change,
              "was " + last.status() + " and is " + change.status()));
    }
  }

  private static void output(
      RowChange change,
      String step,
      @Nullable ExpectedRecording expected,
      List<RuleViolation> findings) {
    boolean there =
        switch (step) {
          case "download" -> change.sha256().isPresent();
          case "transcribe" -> expected != null && change.lines().equals(expected.lines());
          case "prepare", "transform" -> change.documents().contains(step);
          default -> true;
        };
    if (!there) {
      findings.add(
          found(
              ViolationKind.LOST,
              change,
              "%s was committed without its output: %s".formatted(step, change)));
    }
    boolean sync = step.equals("prepare") || step.equals("transform") || step.equals("push");
    String syncStatuses = change.syncStatuses().getOrDefault(step, "nothing");
    if (sync && !syncStatuses.equals("success")) {
      findings.add(
          found(
              ViolationKind.GAP,
              change,
              "%s was committed while the sync status was %s".formatted(step, syncStatuses)));
    }
  }

  private static RuleViolation found(ViolationKind kind, RowChange change, String what) {
    return kind.found(
        "recording %s, change %d, run %d: %s", change.id(), change.seq(), change.run(), what);
  }
}
