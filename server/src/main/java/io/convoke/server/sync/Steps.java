package io.convoke.server.sync;

import java.util.ArrayList;
import java.util.List;

/** Steps of a sync. Pure. */
final class Steps {
  /** More than any pipeline has; the one that was told longest ago goes first. */
  private static final int MAX = 32;

  private Steps() {}

  /** The same steps with one told anew; a new one comes last. */
  static List<StepState> told(List<StepState> steps, StepState state) {
    List<StepState> told = new ArrayList<>(steps);
    int at = told.stream().map(StepState::step).toList().indexOf(state.step());
    if (at >= 0) {
      told.set(at, state);
    } else {
      told.add(state);
    }
    return told.subList(Math.max(0, told.size() - MAX), told.size());
  }

  /**
   * The same steps without those that a pipeline comes to only after this one: what an earlier run
   * said of them is not true of a run that goes through here again.
   */
  static List<StepState> takenBack(List<StepState> steps, List<String> declared, String begins) {
    List<String> later = declared.subList(declared.indexOf(begins) + 1, declared.size());
    return steps.stream().filter(state -> !later.contains(state.step())).toList();
  }
}
