package io.convoke.bench.durable;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A queue that is a Java library, Convoke's included: the same code drives all. */
interface JavaQueueLibrary extends QueueCandidate {
  Duration FIRST_MAX = Duration.ofSeconds(20);
  Duration LOOK = Duration.ofMillis(2);

  /** Queues one item; returns when it is durable. */
  void put(String payload) throws Exception;

  /**
   * Starts workers that report the payload of each item when they begin it, and do nothing else.
   */
  QueueWorkers workers(int count, Consumer<String> begun) throws Exception;

  /** How many workers do most. */
  int most();

  @Override
  default QueuedItems enqueue(int callers, Duration span) throws Exception {
    long begun = System.nanoTime();
    long calls = ConcurrentCallers.run(callers, span, caller -> put(ConvokeQueue.PAYLOAD));
    return QueuedItems.since(begun, calls);
  }

  @Override
  default QueueTurn work(Duration atMost) throws Exception {
    long queued = queued();
    AtomicLong begun = new AtomicLong();
    AtomicLong first = new AtomicLong();
    long called = System.nanoTime();
    try (QueueWorkers _ =
        workers(
            most(),
            payload -> {
              if (begun.getAndIncrement() == 0) {
                first.set(System.nanoTime());
              }
            })) {
      while (begun.get() < queued || queued() > 0) {
        long since = begun.get() == 0 ? called : first.get();
        Duration patience = begun.get() == 0 ? FIRST_MAX : atMost;
        if (System.nanoTime() - since > patience.toNanos()) {
          break;
        }
        LockSupport.parkNanos(LOOK.toNanos());
      }
      long done = queued - queued();
      return new QueueTurn(
          done, Math.max(0, done - begun.get()), Duration.ofNanos(System.nanoTime() - first.get()));
    }
  }
}
