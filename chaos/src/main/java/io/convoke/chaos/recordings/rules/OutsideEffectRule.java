package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Outside effects are repeated for a reason only: a planned failure, or a server or store that
 * failed between the two. Each has a claim, too.
 */
final class OutsideEffectRule implements Rule<RecordingHistory> {
  /**
   * An effect is noted after its step was claimed, and repeated once a lock has been taken over.
   */
  private static final Duration BEFORE = Duration.ofSeconds(2);

  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      ExpectedRecording.ExpectedWork work = expected.work();
      check(history, expected, "transcribe", work.transcriptions(), findings);
      check(history, expected, "push", work.notes(), findings);
    }
    return findings;
  }

  private static void check(
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
              step, RecordingEndRule.name(expected), done.size(), planned, excused, claimed, done));
    }
  }

  private static boolean fault(
      List<FaultWindow> windows, OutsideEffect before, OutsideEffect next) {
    return windows.stream()
        .anyMatch(window -> window.touches(before.at().minus(BEFORE), next.at()));
  }
}
