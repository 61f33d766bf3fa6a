package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timers of presence: scan for flags set by other programs (each 5 s while meetings are live),
 * reconciliation ticks, meeting processing, housekeeping. Each runs on its own thread. While no
 * meeting is live they slow down; a new live meeting or an inbox row wakes them.
 */
final class PresenceScheduler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PresenceScheduler.class);
  private static final Duration STRAYS = Duration.ofSeconds(4);

  /** Interval while no meeting is live, in case a wake-up was lost. */
  private static final Duration IDLE = Duration.ofMinutes(2);

  private static final Duration HOUSEKEEPING = Duration.ofMinutes(5);

  private final RedisRecovery redisRecovery;
  private final Reconciler reconciler;
  private final TrackedMeetingMonitor processing;
  private final Duration processInterval;
  private final Waiter strays = new Waiter();
  private final Waiter ticks = new Waiter();
  private final Waiter processes = new Waiter();
  private final Waiter housekeepingWaiter = new Waiter();
  private final AtomicBoolean resuming = new AtomicBoolean(true);
  private volatile boolean hasLiveMeetings = true;
  private volatile Duration straysAgain = STRAYS;

  PresenceScheduler(
      RedisRecovery redisRecovery,
      Reconciler reconciler,
      TrackedMeetingMonitor processing,
      Duration processInterval) {
    this.redisRecovery = redisRecovery;
    this.reconciler = reconciler;
    this.processing = processing;
    this.processInterval = processInterval;
  }

  private interface ScheduledRound {
    void run();
  }

  void start() {
    repeat("presence-strays", strays, this::strays, () -> hasLiveMeetings ? straysAgain : IDLE);
    repeat("presence-ticks", ticks, this::tick, this::tickWait);
    repeat("presence-processing", processes, this::process, () -> processInterval);
    repeat(
        "presence-housekeeping", housekeepingWaiter, reconciler::housekeeping, () -> HOUSEKEEPING);
  }

  /** Whether meetings are live, as far as this node knows. */
  boolean hasLiveMeetings() {
    return hasLiveMeetings;
  }

  /** Wakes the timers: a meeting became live, Redis reconnected, or the inbox has a new row. */
  void resume() {
    hasLiveMeetings = true;
    resuming.set(true);
    strays.wake();
    ticks.wake();
  }

  @Override
  public void close() {
    strays.close();
    ticks.close();
    processes.close();
    housekeepingWaiter.close();
  }

  private void strays() {
    if (resuming.getAndSet(false)) {
      resumed();
    } else {
      redisRecovery.rebuildIfForgotten();
    }
    RedisRecovery.StrayFlagScan strayFlagScan = redisRecovery.findStrays();
    hasLiveMeetings = strayFlagScan.hasLiveMeetings();
    straysAgain = strayFlagScan.again();
  }

  private void resumed() {
    try {
      redisRecovery.resume();
    } catch (RuntimeException notYet) {
      resuming.set(true);
      throw notYet;
    }
  }

  private void process() {
    if (hasLiveMeetings) {
      processing.run();
    }
  }

  private Duration tickWait() {
    Duration period = reconciler.period();
    return hasLiveMeetings || period.compareTo(IDLE) > 0 ? period : IDLE;
  }

  private void tick() {
    reconciler.tickIfDue().ifPresent(now -> hasLiveMeetings = now);
  }

  /** Runs at once and then after each wait; a failed round does not stop it. */
  private static void repeat(
      String name, Waiter waiter, ScheduledRound scheduledRound, Supplier<Duration> wait) {
    var _ =
        Thread.ofVirtual()
            .name(name)
            .start(
                () -> {
                  try {
                    do {
                      attempt(name, scheduledRound);
                    } while (waiter.await(wait.get()));
                  } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  private static void attempt(String name, ScheduledRound scheduledRound) {
    try {
      scheduledRound.run();
    } catch (RedisUnavailable | RedisException | StoreUnavailable | SqlFailure away) {
      log.info("{}: store error, retrying: {}", name, away.getMessage());
    } catch (RuntimeException | Error bug) {
      log.error("{} failed; continuing", name, bug);
    }
  }
}
