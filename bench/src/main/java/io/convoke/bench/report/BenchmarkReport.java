package io.convoke.bench.report;

import java.util.List;

/**
 * The result of one benchmark.
 *
 * @param what one line: the counted operation
 * @param tables rates and latencies
 * @param counts counted quantities
 * @param checks one line each: what was verified beside the numbers
 * @param wrong one line each: violations that fail the command
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
