package io.convoke.simulator.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * A clock that a test advances; due actions run on the test's thread, in the order of their times.
 * Two runs with the same steps behave alike.
 */
public final class ManualClock implements SimulationClock {

  private record DueAction(Instant at, long order, Runnable action) {}

  private final PriorityQueue<DueAction> queue =
      new PriorityQueue<>(Comparator.comparing(DueAction::at).thenComparingLong(DueAction::order));
  private Instant now;
  private long order;

  public ManualClock(Instant start) {
    this.now = start;
  }

  @Override
  public synchronized Instant instant() {
    return now;
  }

  @Override
  public Duration scaled(Duration scripted) {
    return scripted;
  }

  @Override
  public synchronized ScheduledAction after(Duration span, Runnable action) {
    DueAction dueAction =
        new DueAction(now.plus(span.isNegative() ? Duration.ZERO : span), order++, action);
    queue.add(dueAction);
    return () -> forget(dueAction);
  }

  private synchronized void forget(DueAction dueAction) {
    queue.remove(dueAction);
  }

  /** Advances the clock, running every due action at its own instant. */
  public void advance(Duration span) {
    Instant until = instant().plus(span);
    for (Optional<DueAction> due = next(until); due.isPresent(); due = next(until)) {
      due.get().action().run();
    }
  }

  private synchronized Optional<DueAction> next(Instant until) {
    DueAction head = queue.peek();
    if (head == null || head.at().isAfter(until)) {
      now = until;
      return Optional.empty();
    }
    now = head.at();
    return Optional.of(queue.remove());
  }

  @Override
  public synchronized void close() {
    queue.clear();
  }
}
