package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A task that the ledger knows to be open.
 *
 * @param userId whose it is
 * @param queued whether the ledger ever heard of it from Redis: if so it may run somewhere still
 * @param age since it was taken in
 * @param tries attempts that failed in a row
 * @param waiting since it became PENDING, by the ledger's clock; negative if it may be claimed only
 *     then
 * @param move the last move that the ledger knows
 */
public record OpenTask(
    String id,
    String requestId,
    Optional<String> region,
    String channel,
    Optional<Long> userId,
    String type,
    String spec,
    TaskState state,
    int attempt,
    int tries,
    boolean stop,
    boolean queued,
    Duration age,
    Duration waiting,
    long move) {

  /**
   * The arguments of adopt.lua: what ran gets a fresh window, what may run another attempt.
   *
   * @param forgotten whether Redis may have had it, given it out and forgotten it
   */
  List<String> arguments(DispatchTerms terms, boolean forgotten) {
    boolean ran = state == TaskState.PROCESSING;
    return List.of(
        id,
        NewTask.owned(userId, requestId),
        region.orElse(""),
        NewTask.owned(userId, channel),
        type,
        Spec.kept(id, spec),
        Integer.toString(forgotten || (queued && !ran) ? attempt + 1 : attempt),
        Integer.toString(attempt),
        Long.toString(move),
        Functions.millis(age),
        ran ? "0" : Functions.millis(waiting),
        Functions.millis(terms.taskTimeout()),
        Integer.toString(tries),
        wish(ran));
  }

  private String wish(boolean ran) {
    if (stop) {
      return ran ? "ran" : "stop";
    }
    return queued && !ran ? "wait" : "run";
  }
}
