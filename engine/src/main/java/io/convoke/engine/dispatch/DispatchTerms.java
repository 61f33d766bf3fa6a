package io.convoke.engine.dispatch;

import java.time.Duration;

/**
 * The times and bounds of dispatch; the first four have settings of their own.
 *
 * @param taskTimeout how long a task may wait since it last became PENDING; seed 004: 30 s
 * @param lease how long a pod holds a task without renewal; seed 004: 45 s
 * @param maxAttempts attempts of a task that may fail in a row; one that was renewed for a whole
 *     lease or longer begins the count anew
 * @param overflowAfter how long a task waits in its channel's turn; one that waited longer is taken
 *     before all that came later, and by pods of other regions too
 * @param beat how often a pod that holds tasks says that it lives
 * @param alive how long such a pod counts as alive after its last word
 * @param idle how long a pod that holds nothing waits for a token before it says that it lives
 * @param tick how often the servers look for what is overdue, while anything lives
 * @param queueMax tasks of a queue at most
 * @param retry how long a task waits before it is tried again
 */
public record DispatchTerms(
    Duration taskTimeout,
    Duration lease,
    int maxAttempts,
    Duration overflowAfter,
    Duration beat,
    Duration alive,
    Duration idle,
    Duration tick,
    int queueMax,
    RetryBackoff retry) {
  public DispatchTerms {
    if (beat.multipliedBy(2).compareTo(alive) > 0 || alive.compareTo(lease) > 0) {
      throw new IllegalArgumentException("a pod beats twice while it counts as alive");
    }
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("a task has one attempt at least");
    }
  }

  /** What the settings name, with our own choice for the rest. */
  public static DispatchTerms of(
      Duration taskTimeout, Duration lease, int maxAttempts, Duration overflowAfter) {
    Duration alive = shorter(Duration.ofSeconds(3), lease.dividedBy(2));
    return new DispatchTerms(
        taskTimeout,
        lease,
        maxAttempts,
        overflowAfter,
        alive.dividedBy(3),
        alive,
        Duration.ofSeconds(30),
        shorter(Duration.ofMillis(500), alive.dividedBy(2)),
        1_000_000,
        RetryBackoff.standard());
  }

  /** Seed 004's numbers. */
  public static DispatchTerms seed() {
    return of(Duration.ofSeconds(30), Duration.ofSeconds(45), 5, Duration.ofSeconds(10));
  }

  /** The same with another backoff between tries. */
  public DispatchTerms with(RetryBackoff backoff) {
    return new DispatchTerms(
        taskTimeout, lease, maxAttempts, overflowAfter, beat, alive, idle, tick, queueMax, backoff);
  }

  /** How often a lease is renewed: three times in its length, as in the seed (15 s of 45 s). */
  Duration renewal() {
    return lease.dividedBy(3);
  }

  /** How long before the end of its lease a pod has stopped the work that it could not renew. */
  Duration margin() {
    return lease.dividedBy(10);
  }

  /** How long a pod that waits for a token counts as alive. */
  Duration parked() {
    return idle.multipliedBy(2).plus(alive);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
