package io.convoke.gate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The classes that are still to run. Heavy ones go first, then the longest, so that none is left
 * alone at the end; a fork stays with its module, because another module costs a new JVM and new
 * stores, unless a class of another one is more than {@value #MUCH_LONGER} times as long.
 */
final class Pending {
  private static final double MUCH_LONGER = 3;

  /** The module whose long classes start browsers and servers, and so use the processors fully. */
  private static final String HEAVY = "e2e";

  private static final double HEAVY_SECONDS = 15;

  private final ToDoubleFunction<TestClass> seconds;
  private final List<TestClass> longestFirst;

  /** Heavy classes that have not ended. */
  private final Set<TestClass> heavy;

  /**
   * @param seconds how long a class is expected to take
   */
  Pending(List<TestClass> classes, ToDoubleFunction<TestClass> seconds) {
    this.seconds = seconds;
    this.longestFirst = new ArrayList<>(classes);
    longestFirst.sort(Comparator.comparing(this::isHeavy).thenComparingDouble(seconds).reversed());
    heavy = classes.stream().filter(this::isHeavy).collect(Collectors.toCollection(HashSet::new));
  }

  private boolean isHeavy(TestClass test) {
    return test.module().equals(HEAVY) && seconds.applyAsDouble(test) > HEAVY_SECONDS;
  }

  synchronized boolean hasHeavy() {
    return !heavy.isEmpty();
  }

  /** Notes that a class that was taken has ended. */
  synchronized void ended(TestClass test) {
    if (heavy.remove(test)) {
      notifyAll();
    }
  }

  /** Waits until all heavy classes have ended: most others use little of the processors. */
  synchronized void awaitHeavyEnded() throws InterruptedException {
    while (!heavy.isEmpty()) {
      wait();
    }
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
