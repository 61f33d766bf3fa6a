package io.convoke.simulator.fault;

import java.time.Duration;
import java.util.Optional;

/**
 * The setting of one kind of fault.
 *
 * @param probability from 0 (never) to 1 (always)
 * @param amount the largest span, for kinds that delay; each occurrence draws its own share of it
 * @param on occurs only where this text is contained: part of an API route such as {@code GET
 *     /v1/presence}, or of an event's type and room such as {@code participant.left standup}
 * @param times the remaining occurrences; absent without a limit
 */
public record FaultSetting(
    double probability, Duration amount, Optional<String> on, Optional<Integer> times) {

  public static final FaultSetting NEVER = of(0);
  public static final FaultSetting ALWAYS = of(1);

  public FaultSetting {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException("a probability is from 0 to 1, not " + probability);
    }
    if (amount.isNegative()) {
      throw new IllegalArgumentException("a fault's amount is not negative");
    }
  }

  public static FaultSetting of(double probability) {
    return new FaultSetting(probability, Duration.ZERO, Optional.empty(), Optional.empty());
  }

  public FaultSetting lasting(Duration span) {
    return new FaultSetting(probability, span, on, times);
  }

  public FaultSetting on(String text) {
    return new FaultSetting(probability, amount, Optional.of(text), times);
  }

  public FaultSetting times(int limit) {
    return new FaultSetting(probability, amount, on, Optional.of(limit));
  }

  FaultSetting occurred() {
    return new FaultSetting(probability, amount, on, times.map(left -> left - 1));
  }
}
