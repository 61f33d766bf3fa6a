package io.convoke.gate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The classes that are still to run. The longest goes first, so that none is left alone at the end;
 * a fork stays with its module, because another module costs a new JVM and new stores, unless a
 * class of another one is more than {@value #MUCH_LONGER} times as long.
 */
final class Pending {
  private static final double MUCH_LONGER = 3;

  private final ToDoubleFunction<TestClass> seconds;
  private final List<TestClass> longestFirst;

  /**
   * @param seconds how long a class is expected to take
   */
  Pending(List<TestClass> classes, ToDoubleFunction<TestClass> seconds) {
    this.seconds = seconds;
    this.longestFirst = new ArrayList<>(classes);
    longestFirst.sort(Comparator.comparingDouble(seconds).reversed());
  }

  /** The next class for a fork of this module, or for a new fork; empty when all are taken. */
  synchronized Optional<TestClass> take(Optional<String> module) {
    if (longestFirst.isEmpty()) {
      return Optional.empty();
    }
    TestClass longest = longestFirst.getFirst();
    TestClass next =
        longestFirst.stream()
            .filter(it -> module.filter(it.module()::equals).isPresent())
            .findFirst()
            .filter(
                own -> seconds.applyAsDouble(longest) <= MUCH_LONGER * seconds.applyAsDouble(own))
            .orElse(longest);
    longestFirst.remove(next);
    return Optional.of(next);
  }
}
