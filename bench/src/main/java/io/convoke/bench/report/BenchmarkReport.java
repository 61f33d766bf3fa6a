package io.convoke.bench.report;

import java.util.List;

/**
 * The result of one benchmark.
 *
 * @param what one line: the operation that is counted
 * @param tables rates and times
 * @param counts what was counted instead of timed
 * @param checks one line each: what was verified beside the numbers, so that they mean something
 * @param wrong one line each: what must never happen and did; any of them fails the command
 */
public record BenchmarkReport(
    String benchmark,
    String what,
    List<RateTable> tables,
    List<CountTable> counts,
    List<String> checks,
    List<MeasurementGoal> goals,
    List<String> wrong) {

  public boolean goalsMet() {
    return goals.stream().allMatch(MeasurementGoal::met);
  }

  public boolean right() {
    return wrong.isEmpty();
  }
}
