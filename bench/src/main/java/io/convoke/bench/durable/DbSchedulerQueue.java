package io.convoke.bench.durable;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * db-scheduler (Apache-2.0), claiming by lock-and-fetch, which its makers recommend for throughput:
 * 64 threads, the next batch when the last one is worked off, a poll each 100 ms.
 */
final class DbSchedulerQueue implements JavaQueueLibrary {
  static final String NAME = "db-scheduler";

  private static final int THREADS = 64;
  private static final Duration POLL = Duration.ofMillis(100);

  private final CandidateConnectionPool candidateConnectionPool;
  private final SchedulerClient client;

  DbSchedulerQueue(String url) throws SQLException {
    this.candidateConnectionPool = new CandidateConnectionPool(url);
    candidateConnectionPool.run(
        """
        create table if not exists scheduled_tasks (
          task_name text not null, task_instance text not null, task_data bytea,
          execution_time timestamptz not null, picked boolean not null, picked_by text,
          last_success timestamptz, last_failure timestamptz, consecutive_failures int,
          last_heartbeat timestamptz, version bigint not null, priority smallint,
          primary key (task_name, task_instance));
        create index if not exists execution_time_idx on scheduled_tasks (execution_time);
        create index if not exists last_heartbeat_idx on scheduled_tasks (last_heartbeat);
        """);
    this.client =
        SchedulerClient.Builder.create(candidateConnectionPool.source(), task(payload -> {}))
            .build();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int most() {
    return THREADS;
  }

  @Override
  public void put(String payload) {
    boolean _ =
        client.scheduleIfNotExists(
            task(item -> {}).instance(UUID.randomUUID().toString(), payload), Instant.now());
  }

  @Override
  public QueueWorkers workers(int count, Consumer<String> begun) {
    Scheduler scheduler =
        Scheduler.create(candidateConnectionPool.source(), task(begun))
            .threads(count)
            .pollingInterval(POLL)
            .pollUsingLockAndFetch(1.0, 4.0)
            .shutdownMaxWait(Duration.ofSeconds(5))
            .build();
    scheduler.start();
    return scheduler::stop;
  }

  private static OneTimeTask<String> task(Consumer<String> begun) {
    return Tasks.oneTime("item", String.class)
        .execute((instance, context) -> begun.accept(instance.getData()));
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count("select count(*) from scheduled_tasks");
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate scheduled_tasks");
  }

  @Override
  public void close() {
    candidateConnectionPool.close();
  }
}
