package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Everything observed of the flows of one run.
 *
 * @param acknowledged flows whose start was acknowledged to the client
 * @param raisedEvents acknowledged events, as {@code flow number}
 * @param booked sum of each flow's transactional effects, as added up by the effects themselves
 * @param crashes periods in which Postgres was down after {@code -m immediate}
 * @param left rows locked or queued at the end, as text
 * @param timerMax the longest timer a flow requests
 * @param evidence of faults and of the calm phase
 * @param restartMax maximum time to take over an item: less than the remaining time of any lock
 */
public record FlowHistory(
    List<TestFlow> flows,
    Set<String> acknowledged,
    Set<String> raisedEvents,
    List<InstanceRow> instances,
    List<ExecutionRow> executions,
    List<EventRow> events,
    List<EffectRow> bookings,
    Map<String, Long> booked,
    List<ObservedActivityAttempt> tried,
    List<ItemRestart> restarts,
    List<Instant> crashes,
    List<String> left,
    Duration timerMax,
    Duration restartMax,
    FlowEvidence evidence) {

  /**
   * What is known besides the flows of the fault phase.
   *
   * @param troubles periods in which a fault could delay any work
   * @param calm flows that ran one at a time, without faults
   * @param schedule id of the schedule that started a run every second; empty without
   * @param duringFaults id of another that did while faults were injected; empty without
   * @param scheduled how long it did
   * @param jobs that were enqueued
   * @param faults as they were injected
   * @param lastRuns what the list of schedules told, as {@code schedule instance outcome}
   * @param steps attempts of the steps of stepped flows
   * @param awaited what callers on nodes were told of flows that they awaited
   */
  public record FlowEvidence(
      List<FaultWindow> troubles,
      List<TestFlow> calm,
      String schedule,
      String duringFaults,
      Duration scheduled,
      List<TestJob> jobs,
      List<FaultWindow> faults,
      Set<String> lastRuns,
      List<ObservedActivityAttempt> steps,
      List<AwaitedFlow> awaited) {
    /** A fault at any time. */
    public static final List<FaultWindow> ALWAYS =
        List.of(new FaultWindow("unknown", "all", Instant.MIN, Instant.MAX));

    /** Whether Postgres or a node could be felt to stand still, other than by a kill. */
    boolean delayed(Instant from, Instant to) {
      return troubles.stream()
          .filter(
              window ->
                  !window.what().equals(FaultTimeline.KILL) && !window.what().equals("unknown"))
          .anyMatch(window -> window.touches(from, to));
    }

    /** Whether a fault touched a node's process, or what all nodes share. */
    boolean touched(String process, Instant from, Instant to) {
      return faults.stream()
          .filter(
              fault ->
                  !fault.target().startsWith("node-") || process.startsWith(fault.target() + "."))
          .anyMatch(fault -> fault.touches(from, to));
    }

    boolean troubled(Instant from, Instant to) {
      return troubles.stream().anyMatch(window -> window.touches(from, to));
    }
  }

  public int operations() {
    return acknowledged.size() + raisedEvents.size() + events.size() + tried.size();
  }

  /** The events of each execution, in order. */
  Map<String, List<EventRow>> runs() {
    return events.stream()
        .collect(Collectors.groupingBy(EventRow::run, TreeMap::new, Collectors.toList()));
  }

  Map<String, List<ObservedActivityAttempt>> triedByKey() {
    return tried.stream().collect(Collectors.groupingBy(ObservedActivityAttempt::key));
  }

  /** From the start of each flow of the calm phase, by its client, to its first turn. */
  public List<Duration> calmStarts() {
    Set<String> calm = evidence.calm().stream().map(TestFlow::id).collect(Collectors.toSet());
    return events.stream()
        .filter(event -> event.type().equals("Started") && calm.contains(event.instance()))
        .flatMap(event -> event.at().map(at -> Duration.between(at, event.written())).stream())
        .toList();
  }

  /**
   * A flow that a caller on a node awaits.
   *
   * @param process of the node
   * @param told when the caller was told
   * @param result -1 if it was told that the flow failed
   */
  public record AwaitedFlow(
      String process, String flow, Instant begun, Optional<Instant> told, Optional<Long> result) {}

  /**
   * A row of a transactional effect.
   *
   * @param key of the activity that made it
   * @param number of the activity within its flow
   */
  public record EffectRow(String key, String flow, int number, long amount) {}

  /** An execution's row, with the table's terms. */
  public record ExecutionRow(String instance, long id, String status, Optional<String> output) {}

  /** An instance's row. */
  public record InstanceRow(String id, long execution) {}

  /**
   * A work item that was locked by a node when it was killed.
   *
   * @param elapsed until another node began it; empty if the node's last ack had completed it
   * @param alone whether there was no other fault at the time
   */
  public record ItemRestart(
      String node, Instant killed, String key, Optional<Duration> elapsed, boolean alone) {}

  /**
   * An attempt of an activity, as logged outside of the database.
   *
   * @param process the node's process, a new one after each restart
   * @param skew how far the node's clock was ahead of the others' when it began
   * @param ended when it was done or failed for good; empty if it failed otherwise or died
   */
  public record ObservedActivityAttempt(
      String process,
      String key,
      int attempt,
      Instant startedAt,
      Duration skew,
      Optional<Instant> ended) {}
}
