package io.convoke.lab.sim.signal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Lets a test wait for something to be seen, without sleeping: what was seen before counts, and so
 * does what is seen while waiting.
 */
public final class Sightings<T> {

  private record Waiter<T>(Predicate<? super T> wanted, CompletableFuture<T> seen) {}

  private final List<Waiter<T>> waiters = new CopyOnWriteArrayList<>();
  private final Supplier<? extends Iterable<T>> past;

  /**
   * Starts without waiters.
   *
   * @param past what has been seen so far
   */
  public Sightings(Supplier<? extends Iterable<T>> past) {
    this.past = past;
  }

  /** Something was seen; call this after it has become part of the past. */
  public void tell(T sighting) {
    for (Waiter<T> waiter : waiters) {
      if (waiter.wanted().test(sighting)) {
        waiter.seen().complete(sighting);
      }
    }
  }

  /** The first thing seen that is wanted. */
  public T await(Predicate<? super T> wanted, Duration timeout) throws TimeoutException {
    Waiter<T> waiter = new Waiter<>(wanted, new CompletableFuture<>());
    waiters.add(waiter);
    try {
      for (T sighting : past.get()) {
        if (wanted.test(sighting)) {
          return sighting;
        }
      }
      return waiter.seen().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting", interrupted);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } finally {
      waiters.remove(waiter);
    }
  }
}
