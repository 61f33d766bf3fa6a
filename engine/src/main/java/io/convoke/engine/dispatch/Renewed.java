package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Set;

/**
 * What a renewal brought.
 *
 * @param drain whether the pod is to take no task for now, as far as this place knows
 * @param stop ids of held tasks that are to stop
 * @param extended for each task that was asked for, whether it is still the pod's
 */
record Renewed(boolean drain, Set<String> stop, List<Boolean> extended) {}
