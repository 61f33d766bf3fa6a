package io.convoke.bench.report;

import java.util.OptionalDouble;

/**
 * A goal for a measured number.
 *
 * @param what the number's name
 * @param wanted the bound
 * @param ceiling whether the number may not exceed the bound; else it must reach it
 * @param next the goal after this one
 */
public record MeasurementGoal(
    String what, double measured, double wanted, boolean ceiling, OptionalDouble next) {

  public static MeasurementGoal atLeast(String what, double measured, double wanted) {
    return new MeasurementGoal(what, measured, wanted, false, OptionalDouble.empty());
  }

  public static MeasurementGoal atMost(String what, double measured, double wanted) {
    return new MeasurementGoal(what, measured, wanted, true, OptionalDouble.empty());
  }

  /** The same, with the goal after it. */
  public MeasurementGoal then(double bound) {
    return new MeasurementGoal(what, measured, wanted, ceiling, OptionalDouble.of(bound));
  }

  public boolean met() {
    return reaches(wanted);
  }

  boolean reaches(double bound) {
    return ceiling ? measured <= bound : measured >= bound;
  }
}
