package io.convoke.engine.dispatch;

import java.util.List;
import java.util.stream.IntStream;

/** A number of turns for a lane of the global queues. */
record LaneAllotment(String lane, int count) {
  static List<LaneAllotment> of(List<?> answer) {
    return IntStream.range(0, answer.size() / 2)
        .mapToObj(
            i ->
                new LaneAllotment(
                    (String) answer.get(2 * i), Math.toIntExact((Long) answer.get(2 * i + 1))))
        .toList();
  }
}
