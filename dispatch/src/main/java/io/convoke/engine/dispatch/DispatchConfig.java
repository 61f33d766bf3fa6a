package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.Optional;

/**
 * Times and bounds of dispatch; all but {@code idle} and {@code queueMax} have settings.
 *
 * @param taskTimeout how long a task may be PENDING; by default 30 s
 * @param lease how long a pod holds a task without renewal; by default 45 s. No other pod starts
 *     the task before the lease ends, unless {@code deadAfter} allows it
 * @param maxAttempts consecutive attempts of a task that may fail; an attempt that was renewed for
 *     a whole lease or longer resets the count
 * @param overflowAfter how long a task waits for its channel's turn; afterwards it is claimed
 *     before all later tasks, also by pods of other regions
 * @param deadAfter silence after which a pod counts as dead and its tasks are reclaimed before
 *     their leases end; empty: only leases end. A silent pod that is still working then runs a task
 *     beside its next attempt
 * @param idle how long a pod without tasks waits for a token before it reports to Redis
 * @param queueMax most tasks of a queue
 * @param retry backoff between attempts
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
  /** Allowed delay of a report from an idle pod. */
  private static final Duration DELAY_MAX = Duration.ofSeconds(3);

  /** Longest interval of renewals that Redis could not decide yet. */
  private static final Duration AGAIN_MAX = Duration.ofSeconds(1);

  /** Time from the end of an interval until Redis has what was sent. */
  private static final Duration REPORT_MAX = Duration.ofMillis(500);

  private static final Duration TICK_MAX = Duration.ofMillis(500);

  public DispatchConfig {
    if (deadAfter.isPresent() && deadAfter.get().compareTo(lease) > 0) {
      throw new IllegalArgumentException(
          "dead-after of %s is longer than the lease of %s".formatted(deadAfter.get(), lease));
    }
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be at least 1");
    }
  }

  /** The configured values with defaults for the rest. */
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

  /**
   * The defaults of docs/spec/dispatch.md: 30 s to start, a 45 s lease, 5 attempts, overflow after
   * 10 s.
   */
  public static DispatchConfig seed() {
    return of(Duration.ofSeconds(30), Duration.ofSeconds(45), 5, Duration.ofSeconds(10));
  }

  /** A copy with another retry backoff. */
  public DispatchConfig with(RetryBackoff backoff) {
    return new DispatchConfig(
        taskTimeout, lease, maxAttempts, overflowAfter, deadAfter, idle, queueMax, backoff);
  }

  /**
   * A copy in which a pod counts as dead after a silence; empty: only leases end.
   *
   * @throws IllegalArgumentException when the silence is longer than the lease
   */
  public DispatchConfig deadAfter(Optional<Duration> silence) {
    return new DispatchConfig(
        taskTimeout, lease, maxAttempts, overflowAfter, silence, idle, queueMax, retry);
  }

  /** How long a pod with tasks may be silent. */
  Duration silence() {
    return deadAfter.orElse(lease);
  }

  /** Interval of lease renewals: a third of the allowed silence (15 s of 45 s). */
  Duration renewal() {
    return silence().dividedBy(3);
  }

  /** How long before the end of a lease the pod stops work that it could not renew. */
  Duration margin() {
    return lease.dividedBy(10);
  }

  /**
   * Time after a claim in which the task may be started; Redis gives it to no other pod in that
   * time.
   */
  Duration beginWithin() {
    return shorter(silence(), lease.minus(margin()));
  }

  /** How long an idle pod stays listed after its last report. */
  Duration parked() {
    return idle.multipliedBy(2).plus(DELAY_MAX);
  }

  /** Interval of renewals that Redis could not decide yet. */
  Duration again() {
    return shorter(AGAIN_MAX, renewal());
  }

  /**
   * Time after Redis was compared with the database in which every pod that lives has reported what
   * it holds; no task is claimed in it.
   */
  Duration reporting() {
    return again().plus(REPORT_MAX);
  }

  /** Interval of the maintainers' sweeps while tasks are open. */
  Duration tick() {
    return shorter(TICK_MAX, silence().dividedBy(4));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
