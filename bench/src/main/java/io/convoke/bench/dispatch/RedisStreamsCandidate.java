package io.convoke.bench.dispatch;

import io.lettuce.core.Consumer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A hand-written loop on Lettuce: callers {@code XADD} on one shared connection, workers with a
 * connection each read a group in batches, then {@code XACK} and {@code XDEL} a whole batch in one
 * packet. The pending list is the lease. No queries, channels, fairness, deadlines, stops, regions
 * or results.
 */
final class RedisStreamsCandidate implements DispatchCandidate {
  static final String NAME = "streams by hand";

  private static final int CALLERS = 256;
  private static final int LOOPS = 4;
  private static final int BATCH = 100;
  private static final long BLOCK_MILLIS = 100;
  private static final String STREAM = "stream";
  private static final String GROUP = "group";

  private final RedisClient client;

  RedisStreamsCandidate(String url) {
    this.client = RedisClient.create(url);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DispatchTurn runTasks(Duration span) throws Exception {
    TaskProducers taskProducers = new TaskProducers();
    AtomicBoolean over = new AtomicBoolean();
    Map<String, String> body = Map.of("payload", PAYLOAD);
    try (StatefulRedisConnection<String, String> shared = client.connect();
        ExecutorService threads = Executors.newCachedThreadPool()) {
      RedisAsyncCommands<String, String> commands = shared.async();
      String _ =
          shared
              .sync()
              .xgroupCreate(
                  StreamOffset.from(STREAM, "0"), GROUP, XGroupCreateArgs.Builder.mkstream());
      List<Future<?>> loops = new ArrayList<>();
      for (int i = 0; i < LOOPS; i++) {
        String consumer = "c" + i;
        loops.add(threads.submit(() -> work(consumer, taskProducers, over)));
      }
      try {
        return taskProducers.run(
            CALLERS,
            span,
            (caller, number) -> {
              String _ = commands.xadd(STREAM, body).toCompletableFuture().get();
              return 1;
            });
      } finally {
        over.set(true);
        for (Future<?> loop : loops) {
          var _ = loop.get();
        }
        long _ = shared.sync().del(STREAM);
      }
    }
  }

  @SuppressWarnings("unchecked") // the client takes its streams as an array of generics
  private Void work(String consumer, TaskProducers taskProducers, AtomicBoolean over)
      throws InterruptedException, ExecutionException {
    XReadArgs args = XReadArgs.Builder.block(BLOCK_MILLIS).count(BATCH);
    try (StatefulRedisConnection<String, String> own = client.connect()) {
      while (!over.get()) {
        List<StreamMessage<String, String>> some =
            own.sync()
                .xreadgroup(
                    Consumer.from(GROUP, consumer), args, StreamOffset.lastConsumed(STREAM));
        if (some != null && !some.isEmpty()) {
          String[] ids = some.stream().map(StreamMessage::getId).toArray(String[]::new);
          RedisFuture<Long> acked = own.async().xack(STREAM, GROUP, ids);
          RedisFuture<Long> deleted = own.async().xdel(STREAM, ids);
          if (acked.get() != ids.length || deleted.get() != ids.length) {
            throw new IllegalStateException("some entries were not ours");
          }
          taskProducers.ended(ids.length);
        }
      }
    }
    return null;
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
