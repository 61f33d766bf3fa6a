package io.convoke.bench.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Callers that take tasks in, each waiting for its own answer, and count with the workers. */
final class TaskProducers {
  private static final long PAUSE_NANOS = 200_000;
  private static final Duration END_MAX = Duration.ofSeconds(60);

  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private volatile long last;

  /** Takes some tasks in; answers how many. */
  interface ProducerCall {
    int once(int caller, long number) throws Exception;
  }

  /** A worker has ended so many, and knows that they count. */
  void ended(int count) {
    long _ = ended.addAndGet(count);
    last = System.nanoTime();
  }

  /** Runs callers for a while, then waits until everything that they took in has ended. */
  DispatchCandidate.DispatchTurn run(int callers, Duration span, ProducerCall producerCall)
      throws Exception {
    long begun = System.nanoTime();
    long end = begun + span.toNanos();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        int caller = i;
        all.add(threads.submit(() -> takeIn(caller, end, producerCall)));
      }
      for (Future<Integer> one : all) {
        int _ = one.get();
      }
    }
    while (ended.get() < taken.get()) {
      if (System.nanoTime() - end > END_MAX.toNanos()) {
        throw new IllegalStateException(
            "%d of %d tasks have not ended".formatted(taken.get() - ended.get(), taken.get()));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (ended.get() != taken.get()) {
      throw new IllegalStateException(ended.get() + " ends of " + taken.get() + " tasks");
    }
    return new DispatchCandidate.DispatchTurn(taken.get(), Duration.ofNanos(last - begun));
  }

  private int takeIn(int caller, long end, ProducerCall producerCall) throws Exception {
    int number = 0;
    while (System.nanoTime() < end) {
      if (taken.get() - ended.get() > DispatchCandidate.BACKLOG) {
        LockSupport.parkNanos(PAUSE_NANOS);
      } else {
        int some = producerCall.once(caller, number++);
        long _ = taken.addAndGet(some);
      }
    }
    return number;
  }
}
