package io.convoke.bench.durable;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Convoke's queue, through the provider that the runtime uses; also with long polling off. */
final class ConvokeQueue implements JavaQueueLibrary {
  static final String NAME = "convoke";
  static final String POLLING = "short-poll";
  static final String PAYLOAD = "{\"payload\": \"" + "x".repeat(113) + "\"}";

  private static final int DISPATCHERS = 1_000;
  private static final int POLLERS = 64;
  private static final int TURNS_MAX = 256;
  private static final Duration LOCK = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(250);

  private final LongPollConfig config;
  private final PostgresProvider provider;
  private final CandidateConnectionPool candidateConnectionPool;

  ConvokeQueue(String url) {
    this(url, LongPollConfig.defaults().on());
  }

  private ConvokeQueue(String url, LongPollConfig config) {
    this.config = config;
    this.provider = PostgresProvider.open(DatabaseUrl.parse(url), "durable", config);
    this.candidateConnectionPool = new CandidateConnectionPool(url);
  }

  /** Without long polling: a dispatcher that finds nothing sleeps for a while. */
  static ConvokeQueue polling(String url) {
    return new ConvokeQueue(url, LongPollConfig.defaults());
  }

  @Override
  public String name() {
    return config.enabled() ? NAME : POLLING;
  }

  @Override
  public int most() {
    return config.enabled() ? DISPATCHERS : POLLERS;
  }

  @Override
  public void put(String payload) {
    provider.enqueueForWorker(new WorkMessage("instance", 1, 1, payload, Optional.empty()));
  }

  /** As a node does it: as many dispatchers for instances beside them. */
  @Override
  public QueueWorkers workers(int count, Consumer<String> begun) {
    while (config.enabled() && !provider.announced()) {
      LockSupport.parkNanos(1_000_000);
    }
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    List<Future<?>> dispatchers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      dispatchers.add(threads.submit(() -> work(ended, begun)));
    }
    for (int i = 0; i < Math.min(count, TURNS_MAX); i++) {
      dispatchers.add(threads.submit(() -> awaitInstances(ended)));
    }
    return () -> {
      ended.set(true);
      for (Future<?> dispatcher : dispatchers) {
        join(dispatcher);
      }
      threads.close();
    };
  }

  private Void work(AtomicBoolean ended, Consumer<String> begun) throws InterruptedException {
    while (!ended.get()) {
      Optional<WorkItem> item = provider.fetchWorkItem(LOCK, POLL);
      if (item.isPresent()) {
        begun.accept(item.get().item());
        if (provider.ackWorkItem(item.get().lockToken(), Optional.empty()) == LockStatus.LOST) {
          throw new IllegalStateException("an item was lost");
        }
      } else {
        idle();
      }
    }
    return null;
  }

  private Void awaitInstances(AtomicBoolean ended) throws InterruptedException {
    while (!ended.get()) {
      Optional<OrchestrationItem> item = provider.fetchOrchestrationItem(LOCK, POLL);
      if (item.isPresent()) {
        throw new IllegalStateException("no message was sent");
      }
      idle();
    }
    return null;
  }

  private void idle() {
    if (!config.enabled()) {
      LockSupport.parkNanos(config.idleSleep().toNanos());
    }
  }

  private static void join(Future<?> dispatcher) {
    try {
      var _ = dispatcher.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a dispatcher failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count("select count(*) from durable.worker_queue");
  }

  /** Deletes nothing, because acked items are not kept. */
  @Override
  public void clear() throws Exception {
    while (queued() > 0) {
      QueueTurn _ = work(FIRST_MAX);
    }
  }

  @Override
  public void close() {
    candidateConnectionPool.close();
    provider.close();
  }
}
