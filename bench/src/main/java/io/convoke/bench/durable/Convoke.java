package io.convoke.bench.durable;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Ours, through the provider that the runtime uses. */
final class Convoke implements Contender {
  static final String PAYLOAD = "{\"payload\": \"" + "x".repeat(113) + "\"}";

  private static final int DISPATCHERS = 1_000;
  private static final Duration LOCK = Duration.ofSeconds(60);

  private final PostgresProvider provider;

  Convoke(String url) {
    this.provider =
        PostgresProvider.open(DatabaseUrl.parse(url), "durable", LongPollConfig.defaults().on());
  }

  @Override
  public String name() {
    return "convoke";
  }

  @Override
  public long enqueue(int callers, Duration span) throws Exception {
    return Callers.run(
        callers,
        span,
        caller ->
            provider.enqueueForWorker(
                new WorkMessage("instance-" + caller, 1, 1, PAYLOAD, Optional.empty())));
  }

  @Override
  public long work() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> dispatchers = new ArrayList<>();
      for (int i = 0; i < DISPATCHERS; i++) {
        dispatchers.add(threads.submit(this::workOff));
      }
      long done = 0;
      for (Future<Long> dispatcher : dispatchers) {
        done += dispatcher.get();
      }
      return done;
    }
  }

  private long workOff() throws InterruptedException {
    long done = 0;
    while (true) {
      Optional<WorkItem> item = provider.fetchWorkItem(LOCK, Duration.ZERO);
      if (item.isEmpty()) {
        return done;
      }
      if (provider.ackWorkItem(item.get().lockToken(), Optional.empty()) == Held.LOST) {
        throw new IllegalStateException("an item was lost");
      }
      done++;
    }
  }

  @Override
  public long queued() {
    return provider.admin().metrics().workItems();
  }

  PostgresProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    provider.close();
  }
}
