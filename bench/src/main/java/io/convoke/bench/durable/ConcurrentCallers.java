package io.convoke.bench.durable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do one thing again and again for a while. */
final class ConcurrentCallers {
  /** One call, which returns when it is durable. */
  interface DurableCall {
    void once(int caller) throws Exception;
  }

  private ConcurrentCallers() {}

  /** Answers how many calls were made. */
  static long run(int callers, Duration span, DurableCall durableCall) throws Exception {
    long end = System.nanoTime() + span.toNanos();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        int caller = i;
        counts.add(
            threads.submit(
                () -> {
                  long calls = 0;
                  while (System.nanoTime() < end) {
                    durableCall.once(caller);
                    calls++;
                  }
                  return calls;
                }));
      }
      long all = 0;
      for (Future<Long> count : counts) {
        all += count.get();
      }
      return all;
    }
  }
}
