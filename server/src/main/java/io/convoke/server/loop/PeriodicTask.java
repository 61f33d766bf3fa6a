package io.convoke.server.loop;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background task that runs in rounds on a virtual thread until it is closed. A round that fails
 * does not end the task: an unreachable store is logged as information, any other failure as an
 * error, and the next round follows after the retry wait.
 */
public final class PeriodicTask implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PeriodicTask.class);

  private final String name;
  private final Supplier<Duration> retry;
  private final TaskRound taskRound;
  private final Waiter waiter = new Waiter();

  /** One round; returns the wait until the next one. */
  @FunctionalInterface
  public interface TaskRound {
    Duration run() throws IOException, InterruptedException;
  }

  /**
   * Nothing runs before {@link #start}.
   *
   * @param name of the thread, and in log lines
   * @param retry wait after a failed round
   */
  public PeriodicTask(String name, Supplier<Duration> retry, TaskRound taskRound) {
    this.name = name;
    this.retry = retry;
    this.taskRound = taskRound;
  }

  /** With the same wait after every failed round. */
  public PeriodicTask(String name, Duration retry, TaskRound taskRound) {
    this(name, () -> retry, taskRound);
  }

  /** Runs the first round at once. */
  public void start() {
    startAfter(Duration.ZERO);
  }

  /** Runs the first round after a wait. */
  public void startAfter(Duration wait) {
    var _ = Thread.ofVirtual().name(name).start(() -> run(wait));
  }

  /** Ends the current wait, or the next one if a round is running. */
  public void wake() {
    waiter.wake();
  }

  public boolean closed() {
    return waiter.closed();
  }

  /** Starts no further round; a running one ends by itself. */
  @Override
  public void close() {
    waiter.close();
  }

  private void run(Duration firstWait) {
    try {
      boolean open = firstWait.isZero() || waiter.await(firstWait);
      while (open) {
        open = waiter.await(round());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration round() throws InterruptedException {
    try {
      return taskRound.run();
    } catch (StoreUnavailable
        | SqlFailure
        | RedisUnavailable
        | RedisException
        | IOException unreachable) {
      log.info("{}: a store failed, retrying: {}", name, unreachable.getMessage());
    } catch (RuntimeException | Error failure) {
      if (!waiter.closed()) {
        log.error("{} failed, retrying", name, failure);
      }
    }
    return retry.get();
  }
}
