package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timers of presence: strangers' flags each 5 s while meetings are live, reconciliation ticks,
 * meeting processing, housekeeping. Each runs on a thread of its own, so none delays another. While
 * no meeting is live they almost stand still: what begins, or waits in the inbox, wakes them.
 */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration STRAYS = Duration.ofSeconds(4);

  /** Between looks while no meeting is live, for the case that no wake came. */
  private static final Duration IDLE = Duration.ofMinutes(2);

  private static final Duration HOUSEKEEPING = Duration.ofMinutes(5);

  private final Recovery recovery;
  private final Reconciler reconciler;
  private final MeetingProcessing processing;
  private final Duration processInterval;
  private final Pause strays = new Pause();
  private final Pause ticks = new Pause();
  private final Pause processes = new Pause();
  private final Pause house = new Pause();
  private final AtomicBoolean resuming = new AtomicBoolean(true);
  private volatile boolean live = true;
  private volatile Duration straysAgain = STRAYS;

  Upkeep(
      Recovery recovery,
      Reconciler reconciler,
      MeetingProcessing processing,
      Duration processInterval) {
    this.recovery = recovery;
    this.reconciler = reconciler;
    this.processing = processing;
    this.processInterval = processInterval;
  }

  private interface Round {
    void run();
  }

  void start() {
    repeat("presence-strays", strays, this::strays, () -> live ? straysAgain : IDLE);
    repeat("presence-ticks", ticks, this::tick, this::tickWait);
    repeat("presence-processing", processes, this::process, () -> processInterval);
    repeat("presence-housekeeping", house, reconciler::housekeeping, () -> HOUSEKEEPING);
  }

  /** Whether meetings are live, as far as this node knows. */
  boolean live() {
    return live;
  }

  /** A meeting became live, Redis came back, or something was put into the inbox. */
  void resume() {
    live = true;
    resuming.set(true);
    strays.wake();
    ticks.wake();
  }

  @Override
  public void close() {
    strays.close();
    ticks.close();
    processes.close();
    house.close();
  }

  private void strays() {
    if (resuming.getAndSet(false)) {
      resumed();
    } else {
      recovery.rebuildIfForgotten();
    }
    Recovery.Look look = recovery.findStrays();
    live = look.live();
    straysAgain = look.again();
  }

  private void resumed() {
    try {
      recovery.resume();
    } catch (RuntimeException notYet) {
      resuming.set(true);
      throw notYet;
    }
  }

  private void process() {
    if (live) {
      processing.run();
    }
  }

  private Duration tickWait() {
    Duration period = reconciler.period();
    return live || period.compareTo(IDLE) > 0 ? period : IDLE;
  }

  private void tick() {
    reconciler.tickIfDue().ifPresent(now -> live = now);
  }

  /** Runs at once and then after each wait, whatever a single round ends in. */
  private static void repeat(String name, Pause pause, Round round, Supplier<Duration> wait) {
    var _ =
        Thread.ofVirtual()
            .name(name)
            .start(
                () -> {
                  try {
                    do {
                      attempt(name, round);
                    } while (pause.await(wait.get()));
                  } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  private static void attempt(String name, Round round) {
    try {
      round.run();
    } catch (RedisUnavailable | RedisException | StoreUnavailable | SqlFailure away) {
      log.info("{} waits for a store: {}", name, away.getMessage());
    } catch (RuntimeException | Error bug) {
      log.error("{} failed, it goes on", name, bug);
    }
  }
}
