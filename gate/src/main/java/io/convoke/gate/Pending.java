package io.convoke.gate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The classes that are still to run. The longest goes first, so that none is left alone at the end;
 * a fork stays with its module, because another module costs a new JVM and new stores, unless a
 * class of another one takes over {@value #LONG} s and {@value #MUCH_LONGER} times as long. Heavy
 * classes are spread over the run, so that tests that mostly wait run beside them. Those that need
 * the machine for themselves come last, one by one, in the fork that is the last one.
 */
final class Pending {
  private static final double MUCH_LONGER = 3;

  /** Seconds; for a shorter class of another module a fork does not start a new JVM. */
  private static final double LONG = 30;

  private final ToDoubleFunction<TestClass> seconds;
  private final int heavyMax;
  private final List<TestClass> longestFirst;
  private final Deque<TestClass> alone;
  private int heavy;
  private int running;

  /**
   * @param seconds how long a class is expected to take
   * @param heavyMax so many heavy classes run side by side while there are others
   */
  Pending(List<TestClass> classes, ToDoubleFunction<TestClass> seconds, int heavyMax) {
    this.seconds = seconds;
    this.heavyMax = heavyMax;
    this.longestFirst = new ArrayList<>(classes);
    longestFirst.sort(Comparator.comparingDouble(seconds).reversed());
    this.alone = new ArrayDeque<>(longestFirst.stream().filter(TestClass::isAlone).toList());
    boolean _ = longestFirst.removeAll(alone);
  }

  /**
   * The next class for a fork; empty when all are taken, or all but those that run alone while
   * another fork runs a class.
   *
   * @param module the fork's module; empty for a new fork
   * @param ended what the fork ran before
   */
  synchronized Optional<TestClass> take(Optional<String> module, Optional<TestClass> ended) {
    if (ended.isPresent()) {
      running--;
      heavy -= ended.get().isHeavy() ? 1 : 0;
    }
    Optional<TestClass> next =
        longestFirst.isEmpty() && running == 0
            ? Optional.ofNullable(alone.poll())
            : besideOthers(module);
    if (next.isPresent()) {
      running++;
      heavy += next.get().isHeavy() ? 1 : 0;
    }
    return next;
  }

  private Optional<TestClass> besideOthers(Optional<String> module) {
    Predicate<TestClass> fits = it -> heavy < heavyMax || !it.isHeavy();
    Optional<TestClass> longest =
        longestFirst.stream().filter(fits).findFirst().or(() -> longestFirst.stream().findFirst());
    if (longest.isEmpty()) {
      return Optional.empty();
    }
    double bound = seconds.applyAsDouble(longest.get());
    TestClass next =
        longestFirst.stream()
            .filter(fits)
            .filter(it -> module.filter(it.module()::equals).isPresent())
            .findFirst()
            .filter(own -> bound <= Math.max(LONG, MUCH_LONGER * seconds.applyAsDouble(own)))
            .orElse(longest.get());
    boolean _ = longestFirst.remove(next);
    return Optional.of(next);
  }
}
