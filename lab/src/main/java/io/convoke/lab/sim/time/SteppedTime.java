package io.convoke.lab.sim.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * A clock that stands still until a test moves it; actions that become due run on the test's
 * thread, in the order of their times. Two runs that step alike behave alike.
 */
public final class SteppedTime implements SimTime {

  private record Due(Instant at, long order, Runnable action) {}

  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparing(Due::at).thenComparingLong(Due::order));
  private Instant now;
  private long order;

  public SteppedTime(Instant start) {
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
  public synchronized Pending after(Duration span, Runnable action) {
    Due due = new Due(now.plus(span.isNegative() ? Duration.ZERO : span), order++, action);
    queue.add(due);
    return () -> forget(due);
  }

  private synchronized void forget(Due due) {
    queue.remove(due);
  }

  /** Moves the clock forward, running everything that falls due on the way at its own instant. */
  public void advance(Duration span) {
    Instant until = instant().plus(span);
    for (Optional<Due> due = next(until); due.isPresent(); due = next(until)) {
      due.get().action().run();
    }
  }

  private synchronized Optional<Due> next(Instant until) {
    Due head = queue.peek();
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
