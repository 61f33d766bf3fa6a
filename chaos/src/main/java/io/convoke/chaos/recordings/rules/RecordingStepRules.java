package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.recordings.rules.RecordingHistory.OutsideEffect;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingTransition;
import io.convoke.chaos.recordings.rules.RecordingHistory.RowChange;
import io.convoke.chaos.recordings.rules.RecordingHistory.StepRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How recordings get there: steps, their effects and retries, the journal, and what servers answer.
 */
final class RecordingStepRules {
  /**
   * An effect is noted after its step was claimed, and repeated once a lock has been taken over.
   */
  private static final Duration BEFORE = Duration.ofSeconds(2);

  private RecordingStepRules() {}

  /**
   * A committed step stays committed within its run, and its transaction also committed its
   * outputs: the audio's checksum, the exact transcript, the document, the sync status. While
   * another run repeats it, readers keep the transcript whole. Epochs and runs only grow, and a
   * recording in a terminal state is not processed.
   */
  static List<RuleViolation> stepCommit(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ExpectedRecording> expectedRecordings = new HashMap<>();
    history
        .expectedRecordings()
        .forEach(expected -> expectedRecordings.put(expected.id(), expected));
    Map<String, RowChange> before = new HashMap<>();
    Map<String, List<String>> whole = new HashMap<>();
    for (RowChange change : history.changes()) {
      Optional<RowChange> last = Optional.ofNullable(before.put(change.id(), change));
      last.ifPresent(it -> order(it, change, findings));
      if (!whole.getOrDefault(change.id(), change.lines()).equals(change.lines())) {
        findings.add(
            foundStepCommit(
                ViolationKind.LOST,
                change,
                "the transcript was whole, readers have " + change.lines()));
      }
      for (StepRow step : change.steps()) {
        Optional<StepRow> was = last.flatMap(it -> it.step(step.name()));
        boolean sameRun = last.filter(it -> it.run() == change.run()).isPresent();
        if (sameRun && was.filter(StepRow::over).isPresent() && !was.get().equals(step)) {
          findings.add(
              foundStepCommit(
                  ViolationKind.DUPLICATED,
                  change,
                  "%s was %s and is %s".formatted(step.name(), was.get(), step)));
        }
        boolean ends = step.state().equals("done") && was.filter(StepRow::over).isEmpty();
        if (ends) {
          output(change, step.name(), expectedRecordings.get(change.id()), findings);
          if (step.name().equals("transcribe")) {
            var _ = whole.put(change.id(), change.lines());
          }
        }
      }
    }
    return findings;
  }

  private static void order(RowChange last, RowChange change, List<RuleViolation> findings) {
    if (change.epoch() < last.epoch() || change.run() < last.run()) {
      findings.add(
          foundStepCommit(
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
          foundStepCommit(
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
          foundStepCommit(
              ViolationKind.LOST,
              change,
              "%s was committed without its output: %s".formatted(step, change)));
    }
    boolean sync = step.equals("prepare") || step.equals("transform") || step.equals("push");
    String syncStatuses = change.syncStatuses().getOrDefault(step, "nothing");
    if (sync && !syncStatuses.equals("success")) {
      findings.add(
          foundStepCommit(
              ViolationKind.GAP,
              change,
              "%s was committed while the sync status was %s".formatted(step, syncStatuses)));
    }
  }

  private static RuleViolation foundStepCommit(ViolationKind kind, RowChange change, String what) {
    return kind.found(
        "recording %s, change %d, run %d: %s", change.id(), change.seq(), change.run(), what);
  }

  /**
   * Outside effects are repeated for a reason only: a planned failure, or a server or store that
   * failed between the two. Each has a claim, too.
   */
  static List<RuleViolation> outsideEffect(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      ExpectedRecording.ExpectedWork work = expected.work();
      long transcriptions = work.transcriptions() + retriedWithItsMeeting(history, expected);
      judgeOutsideEffect(history, expected, "transcribe", transcriptions, findings);
      judgeOutsideEffect(history, expected, "push", work.notes(), findings);
    }
    return findings;
  }

  /**
   * How often a recording that users leave alone as it failed for good was begun again, as others
   * of its meeting were, by a retry of the meeting's sync.
   */
  private static long retriedWithItsMeeting(RecordingHistory history, ExpectedRecording expected) {
    if (expected.end() != ExpectedRecording.ExpectedEnd.UNHEARD) {
      return 0;
    }
    Set<String> retries =
        expected.meetings().stream()
            .map(meeting -> "/sync-status/" + meeting + "/retry")
            .collect(Collectors.toSet());
    long asked = history.requests().stream().filter(it -> retries.contains(it.what())).count();
    long begun =
        history.transitions().stream()
            .filter(it -> it.id().equals(expected.id()) && it.from().equals(Optional.of("failed")))
            .count();
    return Math.min(asked, begun);
  }

  private static void judgeOutsideEffect(
      RecordingHistory history,
      ExpectedRecording expected,
      String step,
      long planned,
      List<RuleViolation> findings) {
    List<OutsideEffect> done =
        history.effects().stream()
            .filter(it -> it.recordingId().equals(expected.id()) && it.step().equals(step))
            .sorted(Comparator.comparing(OutsideEffect::at))
            .toList();
    long excused = 0;
    for (int i = 1; i < done.size(); i++) {
      excused += fault(history.evidence().windows(), done.get(i - 1), done.get(i)) ? 1 : 0;
    }
    long claimed = history.row(expected.id()).map(row -> row.attempts(step)).orElse(0);
    if (done.size() > planned + excused || done.size() > claimed) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "%s of %s ran %d times, was planned %d, excused %d, and claimed %d times: %s",
              step, expected.title(), done.size(), planned, excused, claimed, done));
    }
  }

  private static boolean fault(
      List<FaultWindow> windows, OutsideEffect before, OutsideEffect next) {
    return windows.stream()
        .anyMatch(window -> window.touches(before.at().minus(BEFORE), next.at()));
  }

  /** Journal and rows agree in the number of runs, each of which begins with {@code ready}. */
  static List<RuleViolation> recordingJournal(RecordingHistory history) {
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
          findings.add(
              foundRecordingJournal(ViolationKind.COUNT, transition, "the next run is " + wanted));
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

  private static RuleViolation foundRecordingJournal(
      ViolationKind kind, RecordingTransition transition, String what) {
    return kind.found(transition + ": " + what);
  }

  /**
   * What can be overcome by trying again is tried again without a user: such a recording never
   * fails.
   */
  static List<RuleViolation> automaticRetry(RecordingHistory history) {
    Map<String, ExpectedRecording> expected = new HashMap<>();
    history.expectedRecordings().forEach(one -> expected.put(one.id(), one));
    return history.transitions().stream()
        .filter(transition -> transition.to().equals("failed"))
        .filter(
            transition ->
                Optional.ofNullable(expected.get(transition.id()))
                    .filter(one -> !one.work().mayFail())
                    .isPresent())
        .map(
            transition ->
                ViolationKind.ILLEGAL.found(transition + ", though trying again would have helped"))
        .toList();
  }

  /**
   * An authentic webhook is answered 200, and 503 only while both stores are unreachable, which
   * never happens here. Users may get a conflict (409) or an unreachable store.
   */
  static List<RuleViolation> recordingReply(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (TimedReply reply : history.webhooks()) {
      if (reply.status() != 200 && reply.status() != 0) {
        findings.add(ViolationKind.REFUSED.found("a webhook: " + reply));
      }
    }
    for (TimedReply reply : history.requests()) {
      boolean right =
          switch (reply.status()) {
            case 0, 200, 202, 409, 503 -> true;
            default -> false;
          };
      if (!right) {
        findings.add(ViolationKind.REFUSED.found("a request: " + reply));
      }
    }
    return findings;
  }
}
