package io.convoke.server.sync;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of one step, from its last update.
 *
 * @param attempt the attempt of that update
 */
public record StepState(
    String step,
    SyncStatus status,
    Instant updatedAt,
    long attempt,
    Optional<String> jobId,
    Optional<String> errorMessage) {
  /** More than any pipeline has; the least recently updated is evicted first. */
  private static final int MAX = 32;

  /** The same steps with one of them replaced; a new one comes last. */
  static List<StepState> with(List<StepState> steps, StepState state) {
    List<StepState> next = new ArrayList<>(steps);
    int at = next.stream().map(StepState::step).toList().indexOf(state.step());
    if (at >= 0) {
      next.set(at, state);
    } else {
      next.add(state);
    }
    return next.subList(Math.max(0, next.size() - MAX), next.size());
  }

  /**
   * The same steps without those that follow this one in the pipeline: their states are from an
   * earlier run.
   */
  static List<StepState> withoutLater(List<StepState> steps, List<String> declared, String begins) {
    List<String> later = declared.subList(declared.indexOf(begins) + 1, declared.size());
    return steps.stream().filter(state -> !later.contains(state.step())).toList();
  }
}
