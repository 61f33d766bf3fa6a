package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timers of presence: strangers' flags each 5 s while meetings are live, reconciliation ticks,
 * meeting processing, housekeeping. Each runs on a thread of its own, so none delays another.
 */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration STRAYS = Duration.ofSeconds(4);
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration HOUSEKEEPING = Duration.ofMinutes(5);

  private final Recovery recovery;
  private final Reconciler reconciler;
  private final MeetingProcessing processing;
  private final Duration processInterval;
  private final Pause strays = new Pause();
  private final Pause ticks = new Pause();
  private final Pause processes = new Pause();
  private final Pause house = new Pause();
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
    repeat("presence-processing", processes, processing::run, () -> processInterval);
    repeat("presence-housekeeping", house, reconciler::housekeeping, () -> HOUSEKEEPING);
  }

  /** Whether meetings are live, as far as this node knows. */
  boolean live() {
    return live;
  }

  /** A meeting became live, or Redis came back. */
  void resume() {
    live = true;
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
    recovery.resume();
    Recovery.Look look = recovery.findStrays();
    live = look.live();
    straysAgain = look.again();
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
    } catch (RuntimeException bug) {
      log.error("{} failed, it goes on", name, bug);
    }
  }
}
