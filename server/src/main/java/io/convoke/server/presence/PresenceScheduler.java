package io.convoke.server.presence;

import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The timers of presence: scan for flags set by other programs (each 5 s while meetings are live),
 * reconciliation ticks, meeting processing, housekeeping. Each runs on its own thread. While no
 * meeting is live they slow down, ticks only while no room has a rule either; a new live meeting, a
 * new rule or an inbox row wakes them.
 */
final class PresenceScheduler implements AutoCloseable {
  private static final Duration STRAYS = Duration.ofSeconds(4);

  /** Interval while no meeting is live, in case a wake-up was lost. */
  private static final Duration IDLE = Duration.ofMinutes(2);

  private static final Duration HOUSEKEEPING = Duration.ofMinutes(5);

  private final RedisRecovery redisRecovery;
  private final Reconciler reconciler;
  private final TrackedMeetingMonitor processing;
  private final boolean keepsHouse;
  private final PeriodicTask strays;
  private final PeriodicTask ticks;
  private final PeriodicTask processes;
  private final PeriodicTask housekeeping;
  private final AtomicBoolean resuming = new AtomicBoolean(true);
  private volatile boolean hasLiveMeetings = true;
  private volatile Duration straysAgain = STRAYS;

  PresenceScheduler(
      RedisRecovery redisRecovery,
      Reconciler reconciler,
      TrackedMeetingMonitor processing,
      Duration processInterval,
      boolean keepsHouse) {
    this.redisRecovery = redisRecovery;
    this.reconciler = reconciler;
    this.processing = processing;
    this.keepsHouse = keepsHouse;
    this.strays =
        repeat("presence-strays", this::strays, () -> hasLiveMeetings ? straysAgain : IDLE);
    this.ticks =
        new PeriodicTask(
            "presence-ticks",
            reconciler::retry,
            () -> {
              tick();
              return tickWait();
            });
    this.processes = repeat("presence-processing", this::process, () -> processInterval);
    this.housekeeping =
        repeat("presence-housekeeping", reconciler::housekeeping, () -> HOUSEKEEPING);
  }

  void start() {
    strays.start();
    ticks.start();
    processes.start();
    if (keepsHouse) {
      housekeeping.start();
    }
  }

  /** Whether meetings are live, as far as this node knows. */
  boolean hasLiveMeetings() {
    return hasLiveMeetings;
  }

  /**
   * Wakes the timers: a meeting became live, a room got a rule, Redis reconnected, or the inbox has
   * a new row.
   */
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
    if (keepsHouse) {
      housekeeping.close();
    }
  }

  private void strays() {
    if (resuming.getAndSet(false)) {
      resumed();
    } else {
      redisRecovery.rebuildIfForgotten(ticks::wake);
    }
    RedisRecovery.StrayFlagScan strayFlagScan = redisRecovery.findStrays();
    hasLiveMeetings = strayFlagScan.hasLiveMeetings();
    straysAgain = strayFlagScan.again();
  }

  private void resumed() {
    try {
      redisRecovery.resume(ticks::wake);
      boolean watched = reconciler.watchesRooms();
      reconciler.readRules();
      if (reconciler.watchesRooms() && !watched) {
        ticks.wake();
      }
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
    return hasLiveMeetings || reconciler.watchesRooms() || period.compareTo(IDLE) > 0
        ? period
        : IDLE;
  }

  private void tick() {
    reconciler.tickIfDue().ifPresent(now -> hasLiveMeetings = now);
  }

  /** A task whose wait is the same after success and failure. */
  private static PeriodicTask repeat(String name, Runnable round, Supplier<Duration> wait) {
    return new PeriodicTask(
        name,
        wait,
        () -> {
          round.run();
          return wait.get();
        });
  }
}
