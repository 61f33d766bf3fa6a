package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An open task according to the database.
 *
 * @param userId the owner
 * @param queued whether Redis ever reported the task; if so it may be running
 * @param age time since it was accepted
 * @param tries consecutive failed attempts
 * @param waiting time since it became PENDING, by the clock of the database; negative during a
 *     retry backoff
 * @param move number of the last recorded transition
 * @param run the running attempt; empty unless the task is PROCESSING
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
   * An attempt that a pod runs.
   *
   * @param since time since its claim, by the clock of the database
   */
  public record RunningAttempt(String podId, Optional<Integer> workerId, Duration since) {}

  /**
   * The arguments of restore.lua: a running task keeps its attempt; a pending task that may be
   * running gets a new one.
   *
   * @param forgotten whether Redis may have assigned the task to a pod and lost that
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
        TaskScripts.millis(waiting),
        TaskScripts.millis(config.taskTimeout()),
        Integer.toString(tries),
        run.map(RunningAttempt::podId).orElse(""),
        run.flatMap(RunningAttempt::workerId).map(slot -> Integer.toString(slot)).orElse(""),
        TaskScripts.millis(run.map(RunningAttempt::since).orElse(Duration.ZERO)),
        queued ? "1" : "0",
        stop ? "stop" : "run");
  }
}
