package io.convoke.engine.dispatch;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a pod can carry beside the number of its slots. A task is taken only while its cost fits
 * into what is free.
 *
 * @param whole in units of the operator's choice; {@link #COUNT_ONLY} leaves it to the slots
 * @param costs units of a type of task
 * @param other units of every other type; empty for a pod that takes the named types only
 */
public record PodCapacity(double whole, Map<String, Double> costs, java.util.OptionalDouble other) {
  /** One task a slot, of any type. */
  public static final PodCapacity COUNT_ONLY =
      new PodCapacity(1, Map.of(), java.util.OptionalDouble.of(0));

  public PodCapacity {
    costs = Map.copyOf(costs);
    if (costs.values().stream().anyMatch(cost -> cost < 0)) {
      throw new IllegalArgumentException("a cost is not negative");
    }
  }

  /** The types that it takes, if it does not take all. */
  Optional<Set<String>> onlyTypes() {
    if (other.isPresent() && other.getAsDouble() <= whole) {
      return Optional.empty();
    }
    return Optional.of(
        costs.entrySet().stream()
            .filter(type -> type.getValue() <= whole)
            .map(Map.Entry::getKey)
            .collect(Collectors.toUnmodifiableSet()));
  }

  double cost(String type) {
    return costs.getOrDefault(type, other.orElse(0));
  }
}
