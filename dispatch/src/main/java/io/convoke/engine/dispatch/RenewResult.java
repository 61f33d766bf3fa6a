package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Set;

/**
 * The result of a renewal.
 *
 * @param drain whether the pod is draining, according to this key space
 * @param stop ids of held tasks that are to stop
 * @param results for each task {@link TransitionResult#APPLIED} if the lease was extended, {@link
 *     TransitionResult#UNSURE} if Redis cannot decide yet; otherwise the pod no longer holds it
 */
record RenewResult(boolean drain, Set<String> stop, List<TransitionResult> results) {}
