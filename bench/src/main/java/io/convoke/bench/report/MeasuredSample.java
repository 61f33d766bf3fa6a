package io.convoke.bench.report;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * One turn of one candidate.
 *
 * @param operations done in the span
 * @param failures answers with another status than the expected one
 * @param cpu processor time of the candidate's own process in the span; zero if unknown
 */
public record MeasuredSample(
    long operations, long failures, Duration span, Duration p50, Duration p99, Duration cpu) {

  /** A sample without latencies. */
  public MeasuredSample(long operations, long failures, Duration span) {
    this(operations, failures, span, Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  /** A sample with the latency of every operation, failures included, in nanoseconds. */
  public static MeasuredSample of(Histogram nanos, long failures, Duration span) {
    return new MeasuredSample(
        nanos.getTotalCount() - failures,
        failures,
        span,
        Duration.ofNanos(nanos.getValueAtPercentile(50)),
        Duration.ofNanos(nanos.getValueAtPercentile(99)),
        Duration.ZERO);
  }

  /** An empty histogram that keeps three significant digits of values of any size. */
  public static Histogram histogram() {
    return new Histogram(3);
  }

  public MeasuredSample withCpu(Duration time) {
    return new MeasuredSample(operations, failures, span, p50, p99, time);
  }

  public double perSecond() {
    return operations / (span.toNanos() / 1e9);
  }

  /** Processor microseconds of the candidate for one operation. */
  public double cpuMicros() {
    return operations == 0 ? 0 : cpu.toNanos() / 1e3 / operations;
  }
}
