package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of one sweep.
 *
 * @param count tasks found; as many as the limit means that there may be more
 * @param byRegion tasks of each region, {@link KeySpace#GLOBAL} for tasks without one
 */
record SweepResult(int count, Map<String, Integer> byRegion) {
  /** Reads the total, followed by queues with their counts. */
  static SweepResult of(List<?> answer) {
    Map<String, Integer> byRegion = new TreeMap<>();
    for (int i = 1; i + 1 < answer.size(); i += 2) {
      int _ =
          byRegion.merge(
              KeySpace.regionOf((String) answer.get(i)),
              Math.toIntExact((Long) answer.get(i + 1)),
              Integer::sum);
    }
    return new SweepResult(Math.toIntExact((Long) answer.getFirst()), byRegion);
  }
}
