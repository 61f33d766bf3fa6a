package io.convoke.bench.durable;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jobrunr.jobs.JobId;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr, the free version (LGPL-3.0), with job requests, which spare it the analysis of lambdas,
 * 64 workers on virtual threads, and a poll each 5 s, the least that it allows.
 */
final class JobRunrQueue implements JavaQueueLibrary {
  static final String NAME = "JobRunr";

  private static final int WORKERS = 64;
  private static final Duration POLL = Duration.ofSeconds(5);

  private final CandidateConnectionPool candidateConnectionPool;
  private final JsonMapper json = new Jackson3JsonMapper();
  private final StorageProvider storage;
  private final JobRequestScheduler scheduler;

  /** The queued job; public, because JobRunr calls it by reflection. */
  public record JobRunrItem(String payload) implements JobRequest {
    @Override
    public Class<JobRunrHandler> getJobRequestHandler() {
      return JobRunrHandler.class;
    }
  }

  /** Reports its start and does nothing else. */
  public static final class JobRunrHandler implements JobRequestHandler<JobRunrItem> {
    private final Consumer<String> begun;

    JobRunrHandler(Consumer<String> begun) {
      this.begun = begun;
    }

    @Override
    public void run(JobRunrItem jobRunrItem) {
      begun.accept(jobRunrItem.payload());
    }
  }

  JobRunrQueue(String url) {
    this.candidateConnectionPool = new CandidateConnectionPool(url);
    this.storage = SqlStorageProviderFactory.using(candidateConnectionPool.source());
    storage.setJobMapper(new JobMapper(json));
    this.scheduler = new JobRequestScheduler(storage, List.of());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int most() {
    return WORKERS;
  }

  @Override
  public void put(String payload) {
    JobId _ = scheduler.enqueue(new JobRunrItem(payload));
  }

  @Override
  public QueueWorkers workers(int count, Consumer<String> begun) {
    JobActivator activator =
        new JobActivator() {
          @Override
          public <T> T activateJob(Class<T> type) {
            return type.cast(new JobRunrHandler(begun));
          }
        };
    BackgroundJobServer server =
        new BackgroundJobServer(
            storage,
            json,
            activator,
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andPollInterval(POLL)
                .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(1))
                .andWorkerCount(count));
    server.start();
    return server::stop;
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count(
        "select count(*) from jobrunr_jobs where state in ('ENQUEUED', 'PROCESSING')");
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate jobrunr_jobs cascade");
  }

  @Override
  public void close() {
    storage.close();
    candidateConnectionPool.close();
  }
}
