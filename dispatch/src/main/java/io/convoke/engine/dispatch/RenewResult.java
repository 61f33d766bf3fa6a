package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Set;

/**
 * The result of a renewal.
 *
 * @param setting whether the pod takes tasks, according to this key space
 * @param stop ids of held tasks that are to stop
 * @param results for each task {@link TransitionResult#APPLIED} if the lease was extended, {@link
 *     TransitionResult#UNSURE} if Redis cannot decide yet; otherwise the pod no longer holds it
 */
record RenewResult(DrainSetting setting, Set<String> stop, List<TransitionResult> results) {
  /**
   * Whether an operator drains a pod. The pod repeats the last one that it was told, so that it
   * outlives a Redis that loses its last writes.
   *
   * @param number later settings of a pod have higher ones; 0 for a pod that was never told one
   */
  record DrainSetting(boolean drain, long number) {
    static final DrainSetting NONE = new DrainSetting(false, 0);
  }
}
