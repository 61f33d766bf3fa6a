package io.convoke.simulator.time;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The wall clock, with scripted spans divided by a speed; one thread runs all actions in order. */
public final class RealTimeClock implements SimulationClock {

  private static final Logger LOG = LoggerFactory.getLogger(RealTimeClock.class);

  private final double speed;
  private final ScheduledThreadPoolExecutor thread;

  /**
   * Starts the thread.
   *
   * @param speed how many scripted seconds pass in one second; positive
   */
  public RealTimeClock(double speed) {
    if (!(speed > 0)) {
      throw new IllegalArgumentException("speed must be positive, not " + speed);
    }
    this.speed = speed;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform().daemon().name("sim-time").factory(),
            new ThreadPoolExecutor.DiscardPolicy());
    thread.setRemoveOnCancelPolicy(true);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Instant instant() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }

  @Override
  public Duration scaled(Duration scripted) {
    return Duration.ofNanos(Math.round(scripted.toNanos() / speed));
  }

  @Override
  public ScheduledAction after(Duration span, Runnable action) {
    try {
      Future<?> future =
          thread.schedule(() -> guarded(action), Math.max(0, span.toNanos()), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException closed) {
      return () -> {};
    }
  }

  private static void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException bug) {
      LOG.error("a timed action of the simulation failed", bug);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
