package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatchers of one kind: virtual threads that fetch an item, handle it, and fetch the next one. A
 * dispatcher retries while the store is unreachable, and ends with {@link #close} alone: not by an
 * exception, an error or an interrupt that an item has left behind.
 */
final class DispatchLoop<T> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DispatchLoop.class);
  private static final long PAUSE_MAX_MS = 2_000;

  /** Fetches the next item; may block. */
  interface ItemFetcher<T> {
    Optional<T> next() throws InterruptedException;
  }

  /** Handles one item. */
  interface ItemHandler<T> {
    void run(T item) throws InterruptedException;
  }

  private final String name;
  private final ItemFetcher<T> itemFetcher;
  private final ItemHandler<T> itemHandler;
  private final Optional<Duration> idleSleep;
  private final Waiter stop = new Waiter();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * Starts the dispatchers.
   *
   * @param threads of the dispatchers
   * @param idleSleep the pause after a fetch that found nothing, if fetches do not block
   */
  DispatchLoop(
      String name,
      Thread.Builder threads,
      int dispatchers,
      Optional<Duration> idleSleep,
      ItemFetcher<T> itemFetcher,
      ItemHandler<T> itemHandler) {
    this.name = name;
    this.itemFetcher = itemFetcher;
    this.itemHandler = itemHandler;
    this.idleSleep = idleSleep;
    for (int i = 0; i < dispatchers; i++) {
      this.threads.add(threads.name(name + "-" + i).start(this::run));
    }
  }

  /** Dispatchers fetch no further item. */
  void stop() {
    stop.close();
  }

  /** Waits ten seconds for running work, then interrupts it. */
  @Override
  public void close() {
    stop();
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    for (Thread thread : threads) {
      boolean ended = join(thread, Duration.ofNanos(end - System.nanoTime()));
      if (!ended) {
        thread.interrupt();
      }
    }
  }

  private void run() {
    int failures = 0;
    while (!stop.closed()) {
      try {
        Optional<T> item = itemFetcher.next();
        failures = 0;
        if (item.isPresent()) {
          itemHandler.run(item.get());
        } else if (idleSleep.isPresent()) {
          boolean _ = stop.await(idleSleep.get());
        }
      } catch (InterruptedException e) {
        log.debug("{} was interrupted", name);
      } catch (Throwable e) {
        failures++;
        recover(e, failures);
      }
    }
  }

  /** Logs and pauses; if even that fails for lack of memory, the next fetch begins at once. */
  private void recover(Throwable failure, int failures) {
    try {
      report(failure);
      pause(failures);
    } catch (Throwable again) {
      Thread.onSpinWait();
    }
  }

  private void report(Throwable failure) {
    if (stop.closed()) {
      log.debug("{} ends: {}", name, failure.getMessage());
    } else if (failure instanceof ProviderFailure store && store.retryable()) {
      log.info("{}: the store is unavailable, retrying: {}", name, store.getMessage());
    } else {
      log.error("{} failed; continuing", name, failure);
    }
  }

  private void pause(int failures) throws InterruptedException {
    long most = Math.min(PAUSE_MAX_MS, 20L << Math.min(failures, 10));
    boolean _ = stop.await(Duration.ofMillis(ThreadLocalRandom.current().nextLong(1, most + 1)));
  }

  private static boolean join(Thread thread, Duration atMost) {
    try {
      return thread.join(atMost.isPositive() ? atMost : Duration.ofNanos(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
