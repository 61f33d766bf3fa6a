package io.convoke.bench.durable;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.JobOptions;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.runtime.DispatcherPool.DispatcherCounts;
import io.convoke.engine.sql.DatabaseUrl;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Convoke's jobs, through the public methods of the library; also with long polling off. */
final class ConvokeQueue implements JavaQueueLibrary {
  static final String NAME = "convoke";
  static final String POLLING = "short-poll";
  static final String PAYLOAD = "{\"payload\": \"" + "x".repeat(113) + "\"}";

  /** The pool of the job, for rows that are written by plain SQL. */
  static final String POOL = "job:item";

  private static final String JOB = "item";
  private static final int DISPATCHERS = 1_000;
  private static final int POLLERS = 64;
  private static final int TURNS_MAX = 256;

  private final String url;
  private final LongPollConfig config;
  private final Durable client;
  private final CandidateConnectionPool candidateConnectionPool;

  ConvokeQueue(String url) {
    this(url, LongPollConfig.defaults().on());
  }

  private ConvokeQueue(String url, LongPollConfig config) {
    this.url = url;
    this.config = config;
    this.client = builder(open()).connect();
    this.candidateConnectionPool = new CandidateConnectionPool(url);
  }

  /** Without long polling: a dispatcher that finds nothing sleeps for a while. */
  static ConvokeQueue polling(String url) {
    return new ConvokeQueue(url, LongPollConfig.defaults());
  }

  private PostgresProvider open() {
    return PostgresProvider.open(DatabaseUrl.parse(url), "durable", config);
  }

  private Durable.Builder builder(PostgresProvider provider) {
    return Durable.over(provider, config);
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
    String _ = client.enqueue(JOB, payload);
  }

  /** A node beside the client: with as many dispatchers for activities and for instances. */
  @Override
  public QueueWorkers workers(int count, Consumer<String> begun) {
    PostgresProvider provider = open();
    while (config.enabled() && !provider.announced()) {
      LockSupport.parkNanos(1_000_000);
    }
    int turns = Math.min(count, TURNS_MAX);
    DispatcherCounts standard = DispatcherCounts.STANDARD;
    Durable node =
        builder(provider)
            .size(
                new DispatcherCounts(
                    turns, turns, standard.warm(), standard.turnLock(), standard.workLock()))
            .job(
                JOB,
                String.class,
                JobOptions.STANDARD.workers(count),
                (context, payload) -> begun.accept(payload))
            .start();
    return node::close;
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count("select count(*) from durable.open_jobs");
  }

  /** Deletes nothing, because done jobs are not kept. */
  @Override
  public void clear() throws Exception {
    while (queued() > 0) {
      QueueTurn _ = work(FIRST_MAX);
    }
  }

  @Override
  public void close() {
    candidateConnectionPool.close();
    client.close();
  }
}
