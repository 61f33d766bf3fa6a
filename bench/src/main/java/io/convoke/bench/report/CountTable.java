package io.convoke.bench.report;

import java.util.List;

/**
 * Counted things, one row for each candidate.
 *
 * @param columns what was counted
 */
public record CountTable(String title, List<String> columns, List<CountRow> rows) {

  /** One candidate's numbers, in the order of the columns. */
  public record CountRow(String name, List<Double> values) {
    public static CountRow of(String name, Number... values) {
      return new CountRow(name, java.util.Arrays.stream(values).map(Number::doubleValue).toList());
    }
  }
}
