package io.convoke.engine.dispatch;

import java.util.List;

/**
 * What a look of those who tend found.
 *
 * @param live tasks that live; -1 if somebody else has looked just now, -2 if the place is empty
 * @param lanes those of the global queue that hold something
 */
record Ticked(int live, List<String> lanes) {
  static Ticked of(List<?> answer) {
    return new Ticked(
        Math.toIntExact((Long) answer.getFirst()),
        answer.stream().skip(1).map(String.class::cast).toList());
  }
}
