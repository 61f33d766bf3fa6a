package io.convoke.bench.report;

import java.util.List;

/**
 * Counts, one row for each candidate.
 *
 * @param columns names of the counted quantities
 */
public record CountTable(String title, List<String> columns, List<CountRow> rows) {

  /** One candidate's numbers, in the order of the columns. */
  public record CountRow(String name, List<Double> values) {
    public static CountRow of(String name, Number... values) {
      return new CountRow(name, java.util.Arrays.stream(values).map(Number::doubleValue).toList());
    }
  }
}
