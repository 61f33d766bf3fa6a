package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.Optional;

/**
 * The times and bounds of dispatch; all but {@code idle} and {@code queueMax} have settings of
 * their own.
 *
 * @param taskTimeout how long a task may wait since it last became PENDING; seed 004: 30 s
 * @param lease how long a pod holds a task without renewal; seed 004: 45 s. Until then no other pod
 *     begins the task, unless {@code deadAfter} says so
 * @param maxAttempts attempts of a task that may fail in a row; one that was renewed for a whole
 *     lease or longer begins the count anew
 * @param overflowAfter how long a task waits in its channel's turn; one that waited longer is taken
 *     before all that came later, and by pods of other regions too
 * @param deadAfter after how long a silence a pod counts as dead and what it holds is given to
 *     other pods, although its leases go on; empty: only leases end. A pod that is silent and works
 *     on runs a task beside its next attempt then
 * @param idle how long a pod that holds nothing waits for a token before it reports to Redis
 * @param queueMax tasks of a queue at most
 * @param retry how long a task waits before it is tried again
 */
public record DispatchConfig(
    Duration taskTimeout,
    Duration lease,
    int maxAttempts,
    Duration overflowAfter,
    Optional<Duration> deadAfter,
    Duration idle,
    int queueMax,
    RetryBackoff retry) {
  /** A word of a parked pod may be late by this. */
  private static final Duration DELAY_MAX = Duration.ofSeconds(3);

  private static final Duration TICK_MAX = Duration.ofMillis(500);

  public DispatchConfig {
    if (deadAfter.isPresent() && deadAfter.get().compareTo(lease) > 0) {
      throw new IllegalArgumentException(
          "a pod cannot count as dead after %s: its leases of %s end before"
              .formatted(deadAfter.get(), lease));
    }
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("a task has one attempt at least");
    }
  }

  /** What the settings name, with our own choice for the rest. */
  public static DispatchConfig of(
      Duration taskTimeout, Duration lease, int maxAttempts, Duration overflowAfter) {
    return new DispatchConfig(
        taskTimeout,
        lease,
        maxAttempts,
        overflowAfter,
        Optional.empty(),
        Duration.ofSeconds(30),
        1_000_000,
        RetryBackoff.standard());
  }

  /** Seed 004's numbers. */
  public static DispatchConfig seed() {
    return of(Duration.ofSeconds(30), Duration.ofSeconds(45), 5, Duration.ofSeconds(10));
  }

  /** The same with another backoff between tries. */
  public DispatchConfig with(RetryBackoff backoff) {
    return new DispatchConfig(
        taskTimeout, lease, maxAttempts, overflowAfter, deadAfter, idle, queueMax, backoff);
  }

  /**
   * The same where a pod counts as dead after so long a silence; empty: only leases end.
   *
   * @throws IllegalArgumentException when it is longer than the lease
   */
  public DispatchConfig deadAfter(Optional<Duration> silence) {
    return new DispatchConfig(
        taskTimeout, lease, maxAttempts, overflowAfter, silence, idle, queueMax, retry);
  }

  /** How long a pod that holds tasks may be silent. */
  Duration silence() {
    return deadAfter.orElse(lease);
  }

  /**
   * How often a pod renews all its leases: three times in its longest silence, as in the seed (15 s
   * of 45 s).
   */
  Duration renewal() {
    return silence().dividedBy(3);
  }

  /** How long before the end of its lease a pod has stopped the work that it could not renew. */
  Duration margin() {
    return lease.dividedBy(10);
  }

  /** Within which after its claim a task may be begun: no other pod is given it before. */
  Duration beginWithin() {
    return shorter(silence(), lease.minus(margin()));
  }

  /** How long a pod that waits for a token is listed after its last report. */
  Duration parked() {
    return idle.multipliedBy(2).plus(DELAY_MAX);
  }

  /** How often the servers look for what is overdue, while anything lives. */
  Duration tick() {
    return shorter(TICK_MAX, silence().dividedBy(4));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
