package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything observed in a run. All times are one machine's.
 *
 * @param attempts logged by the programs
 * @param transitions the journal, in order
 * @param streams what the readers of the event stream received, and the whole journal
 * @param evidence of pods and faults
 * @param left keys left in Redis at the end, as text
 */
public record TaskHistory(
    List<RequestedTask> requestedTasks,
    List<TaskReply> answers,
    List<StopCall> stops,
    List<ObservedAttempt> attempts,
    List<ObservedTransition> transitions,
    StreamRule.Streams streams,
    List<TaskRow> rows,
    List<FinalTaskView> shown,
    List<SilentPod> silences,
    List<DrainedPod> drained,
    List<RecoveryOutage> troubles,
    List<String> left,
    TaskLimits limits,
    TaskEvidence evidence) {

  /**
   * What is known of pods and faults besides the tasks.
   *
   * @param windows the injected faults
   * @param regions of pods, by their ids
   * @param overflow how long a task waits for a pod of its region
   * @param slots of each pod
   * @param grace between SIGTERM and SIGKILL of a program
   */
  public record TaskEvidence(
      List<FaultWindow> windows,
      Map<String, String> regions,
      Duration overflow,
      int slots,
      Duration grace) {
    /** Nothing. */
    public static final TaskEvidence NONE =
        new TaskEvidence(List.of(), Map.of(), Duration.ZERO, Integer.MAX_VALUE, Duration.ofDays(1));
  }

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
    return rows.stream().filter(row -> row.id().equals(id)).findFirst();
  }

  List<ObservedAttempt> attempts(String id) {
    return attempts.stream().filter(one -> one.id().equals(id)).toList();
  }

  /** Whether its stop was requested, acknowledged or not. */
  boolean unwanted(String id) {
    return stops.stream().anyMatch(stop -> stop.id().equals(id));
  }

  /** Whether Redis may have lost data in this period, or was not compared yet. */
  boolean forgotten(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.forgets() && it.touches(start, end));
  }

  boolean troubled(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.touches(start, end));
  }

  /** Every call to a server; a task needs Postgres alone to be accepted. */
  AvailabilityRule.Calls calls() {
    List<TimedReply> replies = new ArrayList<>();
    answers.forEach(one -> replies.add(one.reply()));
    stops.forEach(one -> replies.add(one.reply()));
    return new AvailabilityRule.Calls(
        replies, evidence.windows(), Set.of(FaultTimeline.POSTGRES), false);
  }

  /** Number of actions and observations, for the report's summary. */
  public int operations() {
    return answers.size() + stops.size() + attempts.size() + transitions.size() + shown.size();
  }
}
