package io.convoke.bench.report;

import java.util.List;

/**
 * The result of one benchmark.
 *
 * @param what one line: the operation that is counted
 * @param checks one line each: what was verified beside the rates, so that they mean something
 */
public record Report(
    String benchmark, String what, List<Table> tables, List<String> checks, List<Goal> goals) {

  public boolean goalsMet() {
    return goals.stream().allMatch(Goal::met);
  }
}
