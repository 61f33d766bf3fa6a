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
        .forEach(
            expectedRecording -> expectedRecordings.put(expectedRecording.id(), expectedRecording));
    Map<String, RowChange> before = new HashMap<>();
    for (RowChange rowChange : history.changes()) {
      Optional<RowChange> last = Optional.ofNullable(before.put(rowChange.id(), rowChange));
      last.ifPresent(it -> order(it, rowChange, findings));
      for (StepRow step : rowChange.steps()) {
        Optional<StepRow> was = last.flatMap(it -> it.step(step.name()));
        boolean sameRun = last.filter(it -> it.run() == rowChange.run()).isPresent();
        if (sameRun && was.filter(StepRow::over).isPresent() && !was.get().equals(step)) {
          findings.add(
              found(
                  ViolationKind.DUPLICATED,
                  rowChange,
                  "%s was %s and is %s".formatted(step.name(), was.get(), step)));
        }
        boolean ends = step.state().equals("done") && was.filter(StepRow::over).isEmpty();
        if (ends) {
          output(rowChange, step.name(), expectedRecordings.get(rowChange.id()), findings);
        }
      }
    }
    return findings;
  }

  private static void order(RowChange last, RowChange rowChange, List<RuleViolation> findings) {
    if (rowChange.epoch() < last.epoch() || rowChange.run() < last.run()) {
      findings.add(
          found(
              ViolationKind.SEQUENCE,
              rowChange,
              "run %d, epoch %d after run %d, epoch %d"
                  .formatted(rowChange.run(), rowChange.epoch(), last.run(), last.epoch())));
    }
    boolean over =
        switch (last.status()) {
          case "done", "failed", "cancelled", "empty", "given_up" -> true;
          default -> false;
        };
    if (over && rowChange.run() == last.run() && !rowChange.status().equals(last.status())) {
      findings.add(
          found(
              ViolationKind.ILLEGAL,
              rowChange,
              "was " + last.status() + " and is " + rowChange.status()));
    }
  }

  private static void output(
      RowChange rowChange,
      String step,
      @Nullable ExpectedRecording expectedRecording,
      List<RuleViolation> findings) {
    boolean there =
        switch (step) {
          case "download" -> rowChange.sha256().isPresent();
          case "transcribe" ->
              expectedRecording != null && rowChange.lines().equals(expectedRecording.lines());
          case "prepare", "transform" -> rowChange.documents().contains(step);
          default -> true;
        };
    if (!there) {
      findings.add(
          found(
              ViolationKind.LOST,
              rowChange,
              "%s was committed without its output: %s".formatted(step, rowChange)));
    }
    boolean sync = step.equals("prepare") || step.equals("transform") || step.equals("push");
    String syncStatuses = rowChange.syncStatuses().getOrDefault(step, "nothing");
    if (sync && !syncStatuses.equals("success")) {
      findings.add(
          found(
              ViolationKind.GAP,
              rowChange,
              "%s was committed while the sync status was %s".formatted(step, syncStatuses)));
    }
  }

  private static RuleViolation found(
      ViolationKind violationKind, RowChange rowChange, String what) {
    return violationKind.found(
        "recording %s, change %d, run %d: %s",
        rowChange.id(), rowChange.seq(), rowChange.run(), what);
  }
}
