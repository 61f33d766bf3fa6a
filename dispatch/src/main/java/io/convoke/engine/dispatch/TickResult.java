package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The result of a tick.
 *
 * @param live open tasks; -1 if another server has just ticked, -2 if the key space must be
 *     restored
 * @param nextDue time until the next retry backoff ends, or the time in which pods report what they
 *     hold; empty if no task is delayed
 * @param types types that wait in the global queues
 * @param lanes lines of the global queues that have tasks
 */
record TickResult(int live, Optional<Duration> nextDue, Set<String> types, List<String> lanes) {
  static TickResult of(List<?> answer) {
    return new TickResult(
        Math.toIntExact((Long) answer.getFirst()),
        Optional.of((Long) answer.get(1)).filter(ms -> ms >= 0).map(Duration::ofMillis),
        Arrays.stream(answer.size() > 2 ? answer.get(2).toString().split(",", -1) : new String[0])
            .filter(type -> !type.isEmpty())
            .collect(Collectors.toUnmodifiableSet()),
        answer.stream().skip(3).map(String.class::cast).toList());
  }
}
