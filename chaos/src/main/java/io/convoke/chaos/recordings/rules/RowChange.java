package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One committed change of a recording's row, with other effects of its transaction.
 *
 * @param lines of its transcript
 * @param documents the steps with an output document
 * @param syncStatuses the sync status of its meeting, by step
 */
public record RowChange(
    long seq,
    String id,
    String status,
    int run,
    long epoch,
    List<StepRow> steps,
    List<String> lines,
    Optional<String> sha256,
    Set<String> documents,
    Map<String, String> syncStatuses) {

  Optional<StepRow> step(String name) {
    return steps.stream().filter(it -> it.name().equals(name)).findFirst();
  }
}
