package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a look of those who tend found.
 *
 * @param live tasks that live; -1 if somebody else has looked just now, -2 if the place is empty
 * @param nextDue when the next task that is delayed may be claimed, from now on; empty if none is
 * @param lanes those of the global queue that hold something
 */
record Ticked(int live, Optional<Duration> nextDue, List<String> lanes) {
  static Ticked of(List<?> answer) {
    return new Ticked(
        Math.toIntExact((Long) answer.getFirst()),
        Optional.of((Long) answer.get(1)).filter(ms -> ms >= 0).map(Duration::ofMillis),
        answer.stream().skip(2).map(String.class::cast).toList());
  }
}
