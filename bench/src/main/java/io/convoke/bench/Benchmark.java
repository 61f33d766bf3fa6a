package io.convoke.bench;

import io.convoke.bench.report.BenchmarkReport;

/** One named measurement against references of the same run. */
public interface Benchmark {
  /** Its name on the command line. */
  String name();

  /** One line: the candidates that it compares. */
  String summary();

  /**
   * Measures.
   *
   * @throws Exception when it could not be measured; a poor result is no exception
   */
  BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception;
}
