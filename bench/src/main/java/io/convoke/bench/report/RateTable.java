package io.convoke.bench.report;

import java.util.List;

/**
 * Candidates measured in the same rounds.
 *
 * @param title the parameter of this table, such as the number of connections
 * @param series the first is the reference of the ratios
 */
public record RateTable(String title, List<CandidateSeries> series) {

  public CandidateSeries named(String candidate) {
    return series.stream()
        .filter(one -> one.candidate().equals(candidate))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no measurement of " + candidate));
  }
}
