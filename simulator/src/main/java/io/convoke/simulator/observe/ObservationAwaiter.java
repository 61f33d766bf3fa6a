package io.convoke.simulator.observe;

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
 * Lets a test wait for an observation without sleeping: earlier observations count, and so do those
 * made while waiting.
 */
public final class ObservationAwaiter<T> {

  private record PendingObservation<T>(
      Predicate<? super T> wanted, CompletableFuture<T> observed) {}

  private final List<PendingObservation<T>> waiters = new CopyOnWriteArrayList<>();
  private final Supplier<? extends Iterable<T>> past;

  /**
   * Starts without waiters.
   *
   * @param past the observations so far
   */
  public ObservationAwaiter(Supplier<? extends Iterable<T>> past) {
    this.past = past;
  }

  /** Something was seen; call this after it has become part of the past. */
  public void emit(T sighting) {
    for (PendingObservation<T> pendingObservation : waiters) {
      if (pendingObservation.wanted().test(sighting)) {
        pendingObservation.observed().complete(sighting);
      }
    }
  }

  /** The first thing seen that is wanted. */
  public T await(Predicate<? super T> wanted, Duration timeout) throws TimeoutException {
    PendingObservation<T> pendingObservation =
        new PendingObservation<>(wanted, new CompletableFuture<>());
    waiters.add(pendingObservation);
    try {
      for (T sighting : past.get()) {
        if (wanted.test(sighting)) {
          return sighting;
        }
      }
      return pendingObservation.observed().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting", interrupted);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } finally {
      waiters.remove(pendingObservation);
    }
  }
}
