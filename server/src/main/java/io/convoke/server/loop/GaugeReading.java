package io.convoke.server.loop;

import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reading of Postgres that serves several gauges. It is made in a thread of its own, and a scrape
 * waits for it for two seconds at most: while Postgres does not answer, the other metrics are still
 * in time. Until it has ended, the gauges show the reading before; after one that failed they are
 * NaN.
 */
public final class GaugeReading<T> {
  private static final Logger log = LoggerFactory.getLogger(GaugeReading.class);
  private static final Duration WAIT = Duration.ofSeconds(2);

  /** How long at most a failed reading counts, however long it took. */
  private static final Duration FAILED_MAX = Duration.ofMinutes(1);

  private final String name;
  private final Duration fresh;
  private final int share;
  private final Duration wait;
  private final Supplier<T> source;

  /** The last reading; empty if it failed. Guarded by this. */
  private Optional<T> last = Optional.empty();

  /** When the next reading is due, on the monotonic clock. Guarded by this. */
  private long staleAt = System.nanoTime();

  /** The latest attempt. Guarded by this. */
  private GaugeAttempt latest = new GaugeAttempt(System.nanoTime(), new CountDownLatch(0));

  /**
   * Reads nothing before a gauge asks.
   *
   * @param name of the thread, and in log lines
   * @param fresh how long a reading serves all gauges
   * @param share it does so for this many times as long as it took, if that is longer
   */
  public GaugeReading(String name, Duration fresh, int share, Supplier<T> source) {
    this(name, fresh, share, WAIT, source);
  }

  GaugeReading(String name, Duration fresh, int share, Duration wait, Supplier<T> source) {
    this.name = name;
    this.fresh = fresh;
    this.share = share;
    this.wait = wait;
    this.source = source;
  }

  /**
   * One reading on its way.
   *
   * @param until when scrapes stop to wait for it, on the monotonic clock
   */
  private record GaugeAttempt(long until, CountDownLatch ended) {}

  /** The value of a gauge; NaN where nothing is known. */
  public double of(ToDoubleFunction<T> value) {
    GaugeAttempt attempt = attempt();
    try {
      boolean _ = attempt.ended().await(attempt.until() - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return known(value);
  }

  private synchronized double known(ToDoubleFunction<T> value) {
    return last.map(value::applyAsDouble).orElse(Double.NaN);
  }

  /** The attempt on its way, or a new one if a reading is due. */
  private synchronized GaugeAttempt attempt() {
    long now = System.nanoTime();
    if (latest.ended().getCount() == 0 && now - staleAt >= 0) {
      GaugeAttempt next = new GaugeAttempt(now + wait.toNanos(), new CountDownLatch(1));
      latest = next;
      Thread _ = Thread.ofVirtual().name(name).start(() -> read(next));
    }
    return latest;
  }

  private void read(GaugeAttempt attempt) {
    long begun = System.nanoTime();
    Optional<T> read = Optional.empty();
    try {
      read = Optional.of(source.get());
    } catch (StoreUnavailable | SqlFailure | ProviderFailure e) {
      log.debug("{} not read: {}", name, e.getMessage());
    } catch (RuntimeException e) {
      log.error("{} failed", name, e);
    } finally {
      ended(read, Duration.ofNanos(System.nanoTime() - begun));
      attempt.ended().countDown();
    }
  }

  private synchronized void ended(Optional<T> read, Duration took) {
    last = read;
    Duration kept = took.multipliedBy(share);
    if (read.isEmpty() && kept.compareTo(FAILED_MAX) > 0) {
      kept = FAILED_MAX;
    }
    staleAt = System.nanoTime() + (kept.compareTo(fresh) > 0 ? kept : fresh).toNanos();
  }
}
