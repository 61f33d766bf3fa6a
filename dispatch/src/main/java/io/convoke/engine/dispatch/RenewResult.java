package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Set;

/**
 * What a renewal brought.
 *
 * @param drain whether the pod is to take no task for now, as far as this place knows
 * @param stop ids of held tasks that are to stop
 * @param results for each task that was asked for: {@link TransitionResult#APPLIED} where the lease
 *     is extended, {@link TransitionResult#UNSURE} where Redis cannot say yet whose it is; else it
 *     is not the pod's any more
 */
record RenewResult(boolean drain, Set<String> stop, List<TransitionResult> results) {}
