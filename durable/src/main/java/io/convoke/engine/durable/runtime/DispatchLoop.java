package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatchers of one kind: virtual threads that fetch an item, handle it, and fetch the next one. A
 * dispatcher retries while the store is unreachable, and ends with {@link #close} alone: not by an
 * exception, an error or an interrupt that an item has left behind.
 */
final class DispatchLoop<T> {
  private static final Logger log = LoggerFactory.getLogger(DispatchLoop.class);
  private static final long PAUSE_MAX_MS = 2_000;

  /** Fetches the next item; may block. */
  interface ItemFetcher<T> {
    Optional<T> next() throws InterruptedException;
  }

  /** Handles one item. */
  interface ItemHandler<T> {
    void run(T item, DispatcherPlace place) throws InterruptedException;
  }

  /** The place of a dispatcher, which another one may take while it is blocked. */
  interface DispatcherPlace {
    /** The dispatcher is blocked by its item for long; others continue with the queue. */
    void leave();

    /** The dispatcher is not blocked any more. */
    void back();

    /** Whether the close has begun to interrupt what still runs. */
    boolean interrupted();
  }

  /** At most so many dispatchers take the places of blocked ones. */
  private static final int SUBSTITUTES_MAX = 1_000;

  /** How long the close waits for interrupted work to be given back to the store. */
  private static final Duration GIVEN_BACK_WITHIN = Duration.ofSeconds(2);

  private final String name;
  private final ItemFetcher<T> itemFetcher;
  private final ItemHandler<T> itemHandler;
  private final Optional<Duration> idleSleep;
  private final Waiter stop = new Waiter();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final DispatcherPlace place = new SharedPlaces();
  private volatile boolean interrupting;

  /** Dispatchers that are blocked, and those that took their places; guarded by the place. */
  private int blocked;

  private int substitutes;

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
      boolean _ = this.threads.add(threads.name(name + "-" + i).start(this::run));
    }
  }

  /** Dispatchers fetch no further item. */
  void stop() {
    stop.close();
  }

  /**
   * Waits ten seconds in all for what runs in loops that are stopped, then interrupts it and waits
   * until it is given back.
   */
  static void close(List<DispatchLoop<?>> stopped) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    List<Thread> interrupted = new ArrayList<>();
    for (DispatchLoop<?> loop : stopped) {
      for (Thread thread : loop.threads) {
        if (!join(thread, end)) {
          loop.interrupting = true;
          thread.interrupt();
          boolean _ = interrupted.add(thread);
        }
      }
    }
    long givenBack = System.nanoTime() + GIVEN_BACK_WITHIN.toNanos();
    for (Thread thread : interrupted) {
      boolean _ = join(thread, givenBack);
    }
  }

  private void run() {
    run(() -> true);
  }

  private void substitute() {
    run(this::isNeeded);
    boolean _ = threads.remove(Thread.currentThread());
  }

  /** Whether a substitute continues; if not, it is no longer counted. */
  private boolean isNeeded() {
    synchronized (place) {
      if (substitutes <= blocked) {
        return true;
      }
      substitutes--;
      return false;
    }
  }

  private final class SharedPlaces implements DispatcherPlace {
    @Override
    public void leave() {
      synchronized (place) {
        blocked++;
        if (substitutes < Math.min(blocked, SUBSTITUTES_MAX)) {
          substitutes++;
          boolean _ =
              threads.add(
                  Thread.ofVirtual()
                      .name(name + "-substitute")
                      .start(DispatchLoop.this::substitute));
        }
      }
    }

    @Override
    public void back() {
      synchronized (place) {
        blocked--;
      }
    }

    @Override
    public boolean interrupted() {
      return interrupting;
    }
  }

  private void run(BooleanSupplier needed) {
    int failures = 0;
    while (!stop.closed() && needed.getAsBoolean()) {
      try {
        Optional<T> item = itemFetcher.next();
        failures = 0;
        if (item.isPresent()) {
          itemHandler.run(item.get(), place);
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

  /** Whether a thread ends before an instant of the monotonic clock. */
  private static boolean join(Thread thread, long end) {
    Duration atMost = Duration.ofNanos(end - System.nanoTime());
    try {
      return thread.join(atMost.isPositive() ? atMost : Duration.ofNanos(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
