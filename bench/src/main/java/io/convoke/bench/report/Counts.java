package io.convoke.bench.report;

import java.util.List;

/**
 * Counted things, one row for each candidate.
 *
 * @param columns what was counted
 */
public record Counts(String title, List<String> columns, List<Row> rows) {

  /** One candidate's numbers, in the order of the columns. */
  public record Row(String name, List<Double> values) {
    public static Row of(String name, Number... values) {
      return new Row(name, java.util.Arrays.stream(values).map(Number::doubleValue).toList());
    }
  }
}
