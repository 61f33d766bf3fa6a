package io.convoke.bench.dispatch;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson's reliable use of queues (4.7, Apache-2.0): 50 added at once, each worker moves an item
 * to its own list and removes it when done. The items of a dead worker stay in its list, because
 * there is no lease; Redisson's queue with leases is not in the free version.
 */
final class RedissonCandidate implements DispatchCandidate {
  static final String NAME = "redisson";

  private static final int CALLERS = 8;
  private static final int BULK = 50;
  private static final int WORKERS = 64;

  private final RedissonClient client;

  RedissonCandidate(String url) {
    URI redis = URI.create(url);
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.setPassword(redis.getUserInfo().substring(1));
    config
        .useSingleServer()
        .setConnectionPoolSize(2 * WORKERS)
        .setAddress("redis://%s:%d".formatted(redis.getHost(), redis.getPort()));
    this.client = Redisson.create(config);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DispatchTurn runTasks(Duration span) throws Exception {
    TaskProducers taskProducers = new TaskProducers();
    AtomicBoolean over = new AtomicBoolean();
    List<String> bulk = Collections.nCopies(BULK, PAYLOAD);
    RBlockingQueue<String> queue = client.getBlockingQueue("queue");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        String own = "held:" + i;
        workers.add(threads.submit(() -> work(queue, own, taskProducers, over)));
      }
      try {
        return taskProducers.run(
            CALLERS,
            span,
            (caller, number) -> {
              boolean _ = queue.addAll(bulk);
              return BULK;
            });
      } finally {
        over.set(true);
        for (Future<?> worker : workers) {
          var _ = worker.get();
        }
      }
    }
  }

  private Void work(
      RBlockingQueue<String> queue, String own, TaskProducers taskProducers, AtomicBoolean over)
      throws InterruptedException {
    RBlockingQueue<String> held = client.getBlockingQueue(own);
    while (!over.get()) {
      String task = queue.pollLastAndOfferFirstTo(own, 1, TimeUnit.SECONDS);
      if (task != null) {
        if (held.poll() == null) {
          throw new IllegalStateException("a task was lost");
        }
        taskProducers.ended(1);
      }
    }
    return null;
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
