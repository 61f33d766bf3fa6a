package io.convoke.lab.orchestra;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;

/** What shall go wrong with the next requests that fit, in the order it was asked for. */
public final class Faults {
  private final Deque<Planned> planned = new ArrayDeque<>();

  /** One thing that goes wrong. */
  public sealed interface Fault {
    /** Refused without doing anything. */
    record Fail(int status) implements Fault {}

    /** Done, and then the connection is cut instead of an answer. */
    record LoseAnswer() implements Fault {}

    /** Done late. */
    record Slow(Duration by) implements Fault {}

    /** Done at once, and answered late. */
    record AnswerLate(Duration by) implements Fault {}
  }

  private record Planned(Predicate<Ask> fits, Fault fault) {}

  /** The next request that fits meets this fault. */
  public synchronized void next(Predicate<Ask> fits, Fault fault) {
    planned.add(new Planned(fits, fault));
  }

  /** The next request of this method does. */
  public void next(String method, Fault fault) {
    next(ask -> ask.method().equals(method), fault);
  }

  synchronized Optional<Fault> of(Ask ask) {
    for (Planned plan : planned) {
      if (plan.fits().test(ask)) {
        planned.remove(plan);
        return Optional.of(plan.fault());
      }
    }
    return Optional.empty();
  }
}
