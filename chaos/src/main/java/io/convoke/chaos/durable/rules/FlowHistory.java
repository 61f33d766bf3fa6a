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
 * All that was observed of the flows of one run.
 *
 * @param acknowledged flows whose start was acknowledged to the client
 * @param raisedEvents events that were acknowledged, as {@code flow number}
 * @param booked the sum of each flow's transactional effects, added up by the effects themselves
 * @param crashes when Postgres was down after {@code -m immediate}
 * @param left rows that are locked or queued when all is over, in words
 * @param timerMax the longest timer that a flow asks for
 * @param restartMax what a restart takes at most: less than what is left of any lock
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

  /** The events of each execution, in their order. */
  Map<String, List<EventRow>> runs() {
    return events.stream()
        .collect(Collectors.groupingBy(EventRow::run, TreeMap::new, Collectors.toList()));
  }

  Map<String, List<ObservedActivityAttempt>> triedByKey() {
    return tried.stream().collect(Collectors.groupingBy(ObservedActivityAttempt::key));
  }
}
