package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a look of those who tend found.
 *
 * @param live tasks that live; -1 if somebody else has looked just now, -2 if the place is empty
 * @param nextDue when the next task that is delayed may be claimed, from now on; empty if none is
 * @param types those that wait in the global queues
 * @param lanes lines of the global queues that hold something
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
