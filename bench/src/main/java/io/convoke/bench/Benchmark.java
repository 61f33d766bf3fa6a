package io.convoke.bench;

import io.convoke.bench.report.BenchmarkReport;

/** One named measurement against references of the same run. */
public interface Benchmark {
  /** The word on the command line. */
  String name();

  /** One line: what is compared with what. */
  String summary();

  /**
   * Measures.
   *
   * @throws Exception when it could not be measured; a poor result is no exception
   */
  BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception;
}
