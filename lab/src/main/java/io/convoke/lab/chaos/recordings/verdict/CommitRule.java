package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A step that was committed stays so within its run, and the transaction that committed it shows
 * what it left: the audio's checksum, exactly the words, the document, the sync status. Epochs and
 * runs grow, and what is over is not worked on.
 */
final class CommitRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Truth> truths = new HashMap<>();
    history.truths().forEach(truth -> truths.put(truth.id(), truth));
    Map<String, Change> before = new HashMap<>();
    for (Change change : history.changes()) {
      Optional<Change> last = Optional.ofNullable(before.put(change.id(), change));
      last.ifPresent(it -> order(it, change, findings));
      for (StepRow step : change.steps()) {
        Optional<StepRow> was = last.flatMap(it -> it.step(step.name()));
        boolean sameRun = last.filter(it -> it.run() == change.run()).isPresent();
        if (sameRun && was.filter(StepRow::over).isPresent() && !was.get().equals(step)) {
          findings.add(
              found(
                  Kind.DUPLICATED,
                  change,
                  "%s was %s and is %s".formatted(step.name(), was.get(), step)));
        }
        boolean ends = step.state().equals("done") && was.filter(StepRow::over).isEmpty();
        if (ends) {
          output(change, step.name(), truths.get(change.id()), findings);
        }
      }
    }
    return findings;
  }

  private static void order(Change last, Change change, List<Finding> findings) {
    if (change.epoch() < last.epoch() || change.run() < last.run()) {
      findings.add(
          found(
              Kind.SEQUENCE,
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
          found(Kind.ILLEGAL, change, "was " + last.status() + " and is " + change.status()));
    }
  }

  private static void output(
      Change change, String step, @Nullable Truth truth, List<Finding> findings) {
    boolean there =
        switch (step) {
          case "download" -> change.sha256().isPresent();
          case "transcribe" -> truth != null && change.words().equals(truth.words());
          case "prepare", "transform" -> change.documents().contains(step);
          default -> true;
        };
    if (!there) {
      findings.add(
          found(
              Kind.LOST,
              change,
              "%s was committed without what it came to: %s".formatted(step, change)));
    }
    boolean sync = step.equals("prepare") || step.equals("transform") || step.equals("push");
    String told = change.told().getOrDefault(step, "nothing");
    if (sync && !told.equals("success")) {
      findings.add(
          found(
              Kind.GAP,
              change,
              "%s was committed while the sync status said %s of it".formatted(step, told)));
    }
  }

  private static Finding found(Kind kind, Change change, String what) {
    return new Finding(
        kind,
        "recording %s, change %d, run %d: %s"
            .formatted(change.id(), change.seq(), change.run(), what));
  }
}
