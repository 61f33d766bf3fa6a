package io.convoke.engine.dispatch;

import java.util.List;
import java.util.stream.IntStream;

/** So many tasks of a lane of the global queue, whose turn it is. */
record Turn(String lane, int count) {
  static List<Turn> of(List<?> answer) {
    return IntStream.range(0, answer.size() / 2)
        .mapToObj(
            i ->
                new Turn((String) answer.get(2 * i), Math.toIntExact((Long) answer.get(2 * i + 1))))
        .toList();
  }
}
