package io.convoke.agent.egress;

import io.convoke.agent.egress.EgressLedger.StoreCall;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls of the blob store on a thread of their own, one at a time: a store that hangs stops no
 * recording. For one thread, which starts the calls and takes their answers.
 */
final class StoreThread<T> implements AutoCloseable {
  private static final Duration ENDING_MAX = Duration.ofSeconds(1);

  private Optional<RunningCall<T>> running = Optional.empty();

  private record RunningCall<A>(FutureTask<A> answer, Thread thread, long since) {}

  /** Starts a call; none may run. */
  void start(StoreCall<T> call) {
    FutureTask<T> answer = new FutureTask<>(call::call);
    Thread thread = Thread.ofVirtual().name("egress-store").start(answer);
    running = Optional.of(new RunningCall<>(answer, thread, System.nanoTime()));
  }

  /** Whether there is a call whose answer was not taken. */
  boolean runs() {
    return running.isPresent();
  }

  /** How long the call has run; zero without one. */
  Duration age() {
    return running
        .map(call -> Duration.ofNanos(System.nanoTime() - call.since()))
        .orElse(Duration.ZERO);
  }

  /**
   * Takes the answer of the call; empty if there is none within this time.
   *
   * @throws IOException if the call has failed
   */
  Optional<T> answer(Duration atMost) throws IOException, InterruptedException {
    if (running.isEmpty()) {
      return Optional.empty();
    }
    try {
      T answer = running.get().answer().get(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
      running = Optional.empty();
      return Optional.of(answer);
    } catch (TimeoutException late) {
      return Optional.empty();
    } catch (ExecutionException failed) {
      running = Optional.empty();
      throw failed.getCause() instanceof IOException away
          ? away
          : new IOException(failed.getCause());
    }
  }

  /** Interrupts the call, and waits a second for its end. */
  @Override
  public void close() {
    if (running.isEmpty()) {
      return;
    }
    RunningCall<T> call = running.get();
    running = Optional.empty();
    boolean _ = call.answer().cancel(true);
    try {
      boolean _ = call.thread().join(ENDING_MAX);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
