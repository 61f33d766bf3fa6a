package io.convoke.chaos.dispatch.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Everything that can be seen of a run. All times are one machine's.
 *
 * @param attempts what the programs noted
 * @param moves the journal, in order
 * @param streamed the journal's numbers in the order in which the event stream brought them
 * @param left what Redis still has when all is over, in words
 */
public record TaskHistory(
    List<RequestedTask> requestedTasks,
    List<TaskReply> answers,
    List<StopCall> stops,
    List<ObservedAttempt> attempts,
    List<TaskMove> moves,
    List<Long> streamed,
    List<TaskRow> rows,
    List<FinalTaskView> shown,
    List<SilentPod> silences,
    List<DrainedPod> drained,
    List<RecoveryOutage> troubles,
    List<String> left,
    TaskLimits limits) {

  /**
   * The numbers by which the servers were told to go.
   *
   * @param window how long a task may wait
   * @param silent after so much silence a pod's death is noticeable
   * @param lease how long a pod keeps a task without a renewal, at most
   * @param stranded within so much more what it held must have moved
   * @param attempts at most
   */
  public record TaskLimits(
      Duration window, Duration silent, Duration lease, Duration stranded, int attempts) {}

  Map<String, List<TaskMove>> story() {
    return moves.stream().collect(Collectors.groupingBy(TaskMove::id));
  }

  Optional<TaskRow> row(String id) {
    return rows.stream().filter(taskRow -> taskRow.id().equals(id)).findFirst();
  }

  List<ObservedAttempt> attempts(String id) {
    return attempts.stream().filter(one -> one.id().equals(id)).toList();
  }

  /** Whether somebody wanted it to stop, heard or not. */
  boolean unwanted(String id) {
    return stops.stream().anyMatch(stopCall -> stopCall.id().equals(id));
  }

  /** Whether Redis may have forgotten something between these, or was not compared yet. */
  boolean forgotten(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.forgets() && it.touches(start, end));
  }

  boolean troubled(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.touches(start, end));
  }

  /** What was done and seen, counted for the verdict's line. */
  public int operations() {
    return answers.size() + stops.size() + attempts.size() + moves.size() + shown.size();
  }
}
