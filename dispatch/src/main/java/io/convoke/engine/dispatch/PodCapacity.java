package io.convoke.engine.dispatch;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The capacity of a pod beside its slots. A pod claims a task only if its cost fits into the free
 * capacity.
 *
 * @param whole total capacity in units that the operator chooses; {@link #COUNT_ONLY} limits by
 *     slots only
 * @param costs cost of each named task type
 * @param other cost of every other type; empty for a pod that takes only named types
 */
public record PodCapacity(double whole, Map<String, Double> costs, java.util.OptionalDouble other) {
  /** Limited by slots only, for all types. */
  public static final PodCapacity COUNT_ONLY =
      new PodCapacity(1, Map.of(), java.util.OptionalDouble.of(0));

  public PodCapacity {
    costs = Map.copyOf(costs);
    if (costs.values().stream().anyMatch(cost -> cost < 0)) {
      throw new IllegalArgumentException("a cost must not be negative");
    }
  }

  /** The types that the pod takes, if it does not take all. */
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
