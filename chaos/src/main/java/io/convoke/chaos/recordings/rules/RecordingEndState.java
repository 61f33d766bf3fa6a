package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Optional;

/**
 * A recording in the end.
 *
 * @param lines its rows of the transcript, line by line, under whatever meeting they are
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

  /** Audio as a row or as the store has it. */
  public record RecordingBlob(long size, String sha256) {}

  int attempts(String step) {
    return steps.stream().filter(it -> it.name().equals(step)).mapToInt(StepRow::attempts).sum();
  }
}
