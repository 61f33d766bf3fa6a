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
 * @param run the attempt that a pod has, by the ledger; empty unless it is PROCESSING
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
    long move,
    Optional<RunningAttempt> run) {

  /**
   * An attempt that a pod has.
   *
   * @param since its claim, by the ledger's clock
   */
  public record RunningAttempt(String podId, Optional<Integer> workerId, Duration since) {}

  /**
   * The arguments of adopt.lua: what runs by the ledger keeps its attempt; what waits and may run
   * gets another.
   *
   * @param forgotten whether Redis may have had it, given it out and forgotten it
   */
  List<String> arguments(DispatchConfig config, boolean forgotten) {
    return List.of(
        id,
        NewTask.owned(userId, requestId),
        region.orElse(""),
        NewTask.owned(userId, channel),
        type,
        TaskSpecCodec.kept(id, spec),
        Integer.toString(run.isEmpty() && (forgotten || queued) ? attempt + 1 : attempt),
        Integer.toString(attempt),
        Long.toString(move),
        TaskScripts.millis(age),
        run.isPresent() ? "0" : TaskScripts.millis(waiting),
        TaskScripts.millis(config.taskTimeout()),
        Integer.toString(tries),
        run.map(RunningAttempt::podId).orElse(""),
        run.flatMap(RunningAttempt::workerId).map(slot -> Integer.toString(slot)).orElse(""),
        TaskScripts.millis(run.map(RunningAttempt::since).orElse(Duration.ZERO)),
        queued ? "1" : "0",
        stop ? "stop" : "run");
  }
}
