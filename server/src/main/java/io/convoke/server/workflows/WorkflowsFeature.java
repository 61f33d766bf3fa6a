package io.convoke.server.workflows;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.PostMeetingOrder;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workflows of a node: every node serves them, nodes of role {@code durable} run them. */
public final class WorkflowsFeature implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WorkflowsFeature.class);
  private static final String SCHEMA = "durable";
  private static final int WARM = 10_000;
  private static final Duration LOCK = Duration.ofSeconds(30);

  /**
   * How a node runs workflows.
   *
   * @param runs whether this node runs workflows or only serves their API
   * @param longPoll the waits of its dispatchers
   * @param retention how long a workflow is kept after its end; zero is for ever
   * @param lastWords how long the last segments of a bot are accepted
   */
  public record WorkflowConfig(
      boolean runs,
      LongPollConfig longPoll,
      int orchestrators,
      int workers,
      Duration retention,
      Duration lastWords) {
    /** With the default time for last segments. */
    public WorkflowConfig(
        boolean runs, LongPollConfig longPoll, int orchestrators, int workers, Duration retention) {
      this(runs, longPoll, orchestrators, workers, retention, PostMeetingWorkflow.LAST_WORDS);
    }

    /** Reads the settings. */
    public static WorkflowConfig of(ServerConfig config, boolean runs) {
      return new WorkflowConfig(
          runs,
          new LongPollConfig(
              config.get(BackgroundWorkSettings.LONGPOLL_ENABLED),
              config.get(BackgroundWorkSettings.LONGPOLL_FALLBACK_INTERVAL),
              config.get(BackgroundWorkSettings.LONGPOLL_TIMER_GRACE),
              config.get(BackgroundWorkSettings.LONGPOLL_IDLE_SLEEP)),
          config.get(BackgroundWorkSettings.DURABLE_ORCHESTRATORS),
          config.get(BackgroundWorkSettings.DURABLE_WORKERS),
          config.get(BackgroundWorkSettings.DURABLE_RETENTION));
    }
  }

  private final WorkflowConfig workflowConfig;
  private final PostgresProvider provider;
  private final Durable engine;
  private final WorkflowEndpoints endpoints;

  /**
   * Connects the engine; its dispatchers start at once if configured.
   *
   * @param ended called, more than once perhaps, for a meeting that has ended
   * @param more features with their own workflows
   */
  public WorkflowsFeature(
      DatabaseUrl url,
      DatabaseUrl listenUrl,
      Database database,
      MeetingStore meetings,
      BotRemover bots,
      LongConsumer ended,
      List<WorkflowSource> more,
      WorkflowConfig workflowConfig,
      MeterRegistry registry,
      OpenTelemetry telemetry) {
    this.workflowConfig = workflowConfig;
    LongPollConfig waiting =
        workflowConfig.runs() ? workflowConfig.longPoll() : LongPollConfig.defaults();
    this.provider = PostgresProvider.open(url, listenUrl, SCHEMA, waiting);
    Durable.Builder builder = Durable.over(provider, waiting).traces(new WorkflowTracer(telemetry));
    WorkflowStore store = new WorkflowStore(database);
    new PostMeetingWorkflow(meetings, bots, ended, workflowConfig.lastWords()).register(builder);
    new WorkflowRetention(provider.admin(), store).register(builder);
    more.forEach(source -> source.register(builder));
    this.engine =
        workflowConfig.runs()
            ? builder
                .size(
                    new DispatcherPool.DispatcherCounts(
                        workflowConfig.orchestrators(), workflowConfig.workers(), WARM, LOCK, LOCK))
                .start()
            : builder.connect();
    this.endpoints = new WorkflowEndpoints(store, engine);
    new WorkflowMetrics(provider).register(registry);
    if (workflowConfig.runs()) {
      boolean ready = false;
      try {
        WorkflowRetention.schedule(engine, workflowConfig.retention());
        takeOver(database);
        ready = true;
      } finally {
        if (!ready) {
          engine.close();
        }
      }
    }
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /** Whether this node receives notifications of new work. */
  public HealthChecks.HealthReading health() {
    if (!workflowConfig.runs()) {
      return HealthChecks.HealthReading.ok();
    }
    if (!workflowConfig.longPoll().enabled()) {
      return new HealthChecks.HealthReading(
          HealthChecks.HealthStatus.OK, "long polling is off; workflows are polled for");
    }
    return provider.announced()
        ? HealthChecks.HealthReading.ok()
        : HealthChecks.HealthReading.degraded("no notifications of new work; polling");
  }

  Durable engine() {
    return engine;
  }

  @Override
  public void close() {
    engine.close();
  }

  /** Meetings that ended before the engine existed. */
  private static void takeOver(Database database) {
    try {
      long taken = PostMeetingOrder.takeOver(database);
      if (taken > 0) {
        log.info("post-meeting workflows started for {} meetings that ended before", taken);
      }
    } catch (StoreUnavailable e) {
      log.warn(
          "post-meeting workflows of earlier meetings start after the next restart: {}",
          e.getMessage());
    }
  }
}
