package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Nothing is done outside that was not claimed: each claim of a step does its work once at most.
 */
final class EffectRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Row row : history.rows()) {
      for (String step : List.of("transcribe", "push")) {
        long done =
            history.effects().stream()
                .filter(it -> it.recordingId().equals(row.id()) && it.step().equals(step))
                .count();
        if (done > row.attempts(step)) {
          findings.add(
              new Finding(
                  Kind.DUPLICATED,
                  "%s of recording %s was done %d times and claimed %d times"
                      .formatted(step, row.id(), done, row.attempts(step))));
        }
      }
    }
    return findings;
  }
}
