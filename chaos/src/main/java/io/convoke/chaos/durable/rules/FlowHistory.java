package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
    Duration restartMax) {

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
}
