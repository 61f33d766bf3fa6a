package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one sweep found overdue.
 *
 * @param count how many; so many as were asked for means that there are more
 * @param byRegion how many of each region, {@link KeySpace#GLOBAL} for those of none
 */
record SweepResult(int count, Map<String, Integer> byRegion) {
  /** Reads a count, followed by lanes with the count of each. */
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
