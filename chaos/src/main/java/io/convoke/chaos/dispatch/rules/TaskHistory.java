package io.convoke.chaos.dispatch.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Everything observed in a run. All times are one machine's.
 *
 * @param attempts logged by the programs
 * @param transitions the journal, in order
 * @param streamed journal sequences in the order of the event stream
 * @param left keys left in Redis at the end, as text
 */
public record TaskHistory(
    List<RequestedTask> requestedTasks,
    List<TaskReply> answers,
    List<StopCall> stops,
    List<ObservedAttempt> attempts,
    List<ObservedTransition> transitions,
    List<Long> streamed,
    List<TaskRow> rows,
    List<FinalTaskView> shown,
    List<SilentPod> silences,
    List<DrainedPod> drained,
    List<RecoveryOutage> troubles,
    List<String> left,
    TaskLimits limits) {

  /**
   * The servers' configured limits.
   *
   * @param window queue timeout
   * @param silent time without a heartbeat after which a pod's death is detectable
   * @param lease maximum time a pod keeps a task without renewal
   * @param stranded time after that within which the pod's tasks must have moved on
   * @param attempts maximum number
   */
  public record TaskLimits(
      Duration window, Duration silent, Duration lease, Duration stranded, int attempts) {}

  Map<String, List<ObservedTransition>> transitionsByTask() {
    return transitions.stream().collect(Collectors.groupingBy(ObservedTransition::id));
  }

  Optional<TaskRow> row(String id) {
    return rows.stream().filter(taskRow -> taskRow.id().equals(id)).findFirst();
  }

  List<ObservedAttempt> attempts(String id) {
    return attempts.stream().filter(one -> one.id().equals(id)).toList();
  }

  /** Whether its stop was requested, acknowledged or not. */
  boolean unwanted(String id) {
    return stops.stream().anyMatch(stopCall -> stopCall.id().equals(id));
  }

  /** Whether Redis may have lost data in this period, or was not compared yet. */
  boolean forgotten(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.forgets() && it.touches(start, end));
  }

  boolean troubled(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.touches(start, end));
  }

  /** Number of actions and observations, for the report's summary. */
  public int operations() {
    return answers.size() + stops.size() + attempts.size() + transitions.size() + shown.size();
  }
}
