package io.convoke.bench.report;

import java.time.Duration;

/**
 * One turn of one candidate.
 *
 * @param operations done in the span
 * @param failures answers that were not what was asked for
 * @param cpu processor time that the candidate's own process took meanwhile; zero if unknown
 */
public record MeasuredSample(
    long operations, long failures, Duration span, Duration p50, Duration p99, Duration cpu) {

  public double perSecond() {
    return operations / (span.toNanos() / 1e9);
  }

  /** Processor microseconds of the candidate for one operation. */
  public double cpuMicros() {
    return operations == 0 ? 0 : cpu.toNanos() / 1e3 / operations;
  }
}
