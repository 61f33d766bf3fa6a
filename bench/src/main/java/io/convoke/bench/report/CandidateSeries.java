package io.convoke.bench.report;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** All turns of one candidate. */
public record CandidateSeries(String candidate, List<MeasuredSample> samples) {

  public double median(ToDoubleFunction<MeasuredSample> of) {
    double[] sorted = sorted(of);
    int middle = sorted.length / 2;
    return sorted.length == 0
        ? 0
        : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  public double least(ToDoubleFunction<MeasuredSample> of) {
    double[] sorted = sorted(of);
    return sorted.length == 0 ? 0 : sorted[0];
  }

  public double most(ToDoubleFunction<MeasuredSample> of) {
    double[] sorted = sorted(of);
    return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
  }

  /** The median rate of this, per median rate of the other. */
  public double ratioTo(CandidateSeries other) {
    return median(MeasuredSample::perSecond) / other.median(MeasuredSample::perSecond);
  }

  private double[] sorted(ToDoubleFunction<MeasuredSample> of) {
    return samples.stream().mapToDouble(of).sorted().toArray();
  }
}
