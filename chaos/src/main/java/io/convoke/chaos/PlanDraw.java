package io.convoke.chaos;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Draws the times of a plan from a seed: the same seed draws the same plan.
 *
 * @param faultPhase length of the phase in which all steps lie
 */
public record PlanDraw(SplittableRandom random, Duration faultPhase) {
  /** A random time in this part of the fault phase. */
  public Duration share(double from, double to) {
    return Duration.ofMillis(
        Math.round(faultPhase.toMillis() * (from + (to - from) * random.nextDouble())));
  }

  /** A random span, in ms. */
  public Duration millis(int from, int to) {
    return Duration.ofMillis(from + random.nextInt(to - from));
  }
}
