package io.convoke.bench.report;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** All turns of one candidate. */
public record Series(String candidate, List<Sample> samples) {

  public double median(ToDoubleFunction<Sample> of) {
    double[] sorted = sorted(of);
    int middle = sorted.length / 2;
    return sorted.length == 0
        ? 0
        : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  public double least(ToDoubleFunction<Sample> of) {
    double[] sorted = sorted(of);
    return sorted.length == 0 ? 0 : sorted[0];
  }

  public double most(ToDoubleFunction<Sample> of) {
    double[] sorted = sorted(of);
    return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
  }

  /** The median rate of this, per median rate of the other. */
  public double ratioTo(Series other) {
    return median(Sample::perSecond) / other.median(Sample::perSecond);
  }

  private double[] sorted(ToDoubleFunction<Sample> of) {
    return samples.stream().mapToDouble(of).sorted().toArray();
  }
}
