package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingTransition;
import io.convoke.chaos.recordings.rules.RecordingHistory.RowChange;
import io.convoke.chaos.recordings.rules.RecordingHistory.StepRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What users' requests lead to: runs that begin at the step they should, events, and progress. */
final class RecordingRunRules {
  private static final List<String> STEPS =
      List.of("download", "transcribe", "prepare", "transform", "push");

  /** What was begun before Redis went away may still reach the outside. */
  private static final Duration BEGUN = Duration.ofSeconds(2);

  /** In which work is begun that waits. */
  private static final Duration DUE = Duration.ofSeconds(6);

  private RecordingRunRules() {}

  /**
   * What a user asked for is done. A run begins at the step that the user named, else at the first
   * that was not over; it repeats that one and all later ones, and none before.
   */
  static List<RuleViolation> repeatedStep(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ExpectedRecording> expected = new HashMap<>();
    history.expectedRecordings().forEach(one -> expected.put(one.id(), one));
    for (ExpectedRecording one : expected.values()) {
      boolean open =
          one.wish().isPresent() && history.row(one.id()).filter(row -> row.run() > 1).isEmpty();
      if (open) {
        findings.add(ViolationKind.OPEN.found("%s: %s is not done", one.title(), one.wish()));
      }
    }
    Map<String, RowChange> before = new HashMap<>();
    for (RowChange change : history.changes()) {
      Optional<RowChange> last = Optional.ofNullable(before.put(change.id(), change));
      Optional<String> wish =
          Optional.ofNullable(expected.get(change.id())).flatMap(ExpectedRecording::wish);
      last.filter(it -> change.run() > it.run())
          .filter(it -> !begins(it, change, wish))
          .ifPresent(
              it ->
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          "recording %s: run %d has steps %s after %s, %s was asked for",
                          change.id(), change.run(), change.steps(), it.steps(), wish)));
    }
    return findings;
  }

  private static boolean begins(RowChange last, RowChange change, Optional<String> wish) {
    int stopped = first(last);
    int begun = first(change);
    // A corrected line makes another note. Only damaged audio is downloaded again, whatever step
    // it was that failed.
    boolean corrected =
        last.status().equals("failed") && wish.equals(Optional.of(ExpectedRecording.CORRECT));
    boolean right =
        (corrected || last.status().equals("done"))
            ? wish.map(ExpectedRecording::step)
                .filter(step -> STEPS.indexOf(step) == begun)
                .isPresent()
            : begun == stopped || begun == 0;
    return right
        && change.steps().stream().skip(begun).allMatch(step -> step.state().equals("pending"));
  }

  /** The first step that is not over. */
  private static int first(RowChange change) {
    return (int) change.steps().stream().takeWhile(StepRow::over).count();
  }

  /**
   * While Redis is away for long and nothing else is, what appears is worked on: one of these
   * recordings reaches the transcriber or the CRM.
   */
  static List<RuleViolation> withoutRedis(RecordingHistory history) {
    List<FaultWindow> windows = history.evidence().windows();
    Set<String> due = history.evidence().withoutRedis();
    List<RuleViolation> findings = new ArrayList<>();
    for (FaultWindow gone : windows) {
      Instant from = gone.from().plus(BEGUN);
      boolean judged =
          gone.target().equals(FaultTimeline.REDIS + FaultTimeline.GONE)
              && from.plus(DUE).isBefore(gone.to())
              && windows.stream()
                  .filter(other -> !other.target().startsWith(FaultTimeline.REDIS))
                  .noneMatch(other -> other.touches(from, gone.to()));
      boolean worked =
          history.effects().stream()
              .filter(effect -> due.contains(effect.recordingId()))
              .anyMatch(effect -> effect.at().isAfter(from) && effect.at().isBefore(gone.to()));
      if (judged && !due.isEmpty() && !worked) {
        findings.add(ViolationKind.LOST.found("none of %s was worked on during %s", due, gone));
      }
    }
    return findings;
  }

  /**
   * Each event of a recording that has a meeting names it, its user, and what led to it. One that
   * changes no status is the first that names the meeting.
   */
  static List<RuleViolation> recordingEvent(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<String> named = new HashSet<>();
    for (RecordingTransition transition : history.transitions()) {
      boolean first = transition.meeting().isPresent() && named.add(transition.id());
      if (!first && transition.from().equals(Optional.of(transition.to()))) {
        findings.add(ViolationKind.ILLEGAL.found(transition + " tells nothing new"));
      }
      Optional<Long> meeting = history.row(transition.id()).flatMap(RecordingEndState::meeting);
      boolean placed =
          transition.to().equals("ready")
              || transition.to().equals("processing")
              || transition.to().equals("done");
      if (meeting.isPresent()
          && (!transition.told() || (placed && !transition.meeting().equals(meeting)))) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "%s does not tell all; the recording is in meeting %s", transition, meeting));
      }
    }
    return findings;
  }
}
