package io.convoke.server.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Steps of a sync, and what they come to. Pure. */
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

  /**
   * What declared steps come to: a failure of the present attempt is one of all, success needs each
   * of them, in whatever attempt it came, and everything else is in progress.
   */
  static SyncStatus overall(List<String> declared, List<StepState> steps, long attempt) {
    boolean all = true;
    for (String name : declared) {
      Optional<StepState> known =
          steps.stream().filter(state -> state.step().equals(name)).findFirst();
      boolean failed =
          known
              .filter(it -> it.status() == SyncStatus.FAILURE && it.attempt() == attempt)
              .isPresent();
      if (failed) {
        return SyncStatus.FAILURE;
      }
      all &= known.filter(it -> it.status() == SyncStatus.SUCCESS).isPresent();
    }
    return all ? SyncStatus.SUCCESS : SyncStatus.IN_PROGRESS;
  }
}
