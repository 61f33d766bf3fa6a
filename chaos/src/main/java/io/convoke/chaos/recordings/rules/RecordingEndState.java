package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Optional;

/**
 * A recording's row after the run.
 *
 * @param lines its transcript rows, line by line, of any meeting
 * @param blob size and SHA-256 of its audio
 */
public record RecordingEndState(
    String id,
    String status,
    int run,
    Optional<Long> meeting,
    List<StepRow> steps,
    List<String> lines,
    Optional<RecordingBlob> blob) {

  /** Audio as recorded in a row or found in the blob store. */
  public record RecordingBlob(long size, String sha256) {}

  int attempts(String step) {
    return steps.stream().filter(it -> it.name().equals(step)).mapToInt(StepRow::attempts).sum();
  }
}
