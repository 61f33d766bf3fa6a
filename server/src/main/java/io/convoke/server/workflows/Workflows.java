package io.convoke.server.workflows;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.runtime.Dispatchers;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Health;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.PostMeeting;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workflows of a node: served on each, run where the duty is. */
public final class Workflows implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Workflows.class);
  private static final String SCHEMA = "durable";
  private static final int WARM = 10_000;
  private static final Duration LOCK = Duration.ofSeconds(30);

  /**
   * How a node runs workflows.
   *
   * @param runs whether it does at all; else it serves what others run
   * @param longPoll how its dispatchers wait
   * @param retention how long a workflow is kept after its end; zero is for ever
   * @param lastWords the time that a bot has for them
   */
  public record Terms(
      boolean runs,
      LongPollConfig longPoll,
      int orchestrators,
      int workers,
      Duration retention,
      Duration lastWords) {
    /** With the default time for last segments. */
    public Terms(
        boolean runs, LongPollConfig longPoll, int orchestrators, int workers, Duration retention) {
      this(runs, longPoll, orchestrators, workers, retention, PostMeetingWorkflow.LAST_WORDS);
    }
  }

  private final Terms terms;
  private final PostgresProvider provider;
  private final Durable engine;
  private final WorkflowEndpoints endpoints;

  /**
   * Connects the engine; its dispatchers start at once if configured.
   *
   * @param more features with their own workflows
   */
  public Workflows(
      DatabaseUrl url,
      DatabaseUrl listenUrl,
      Database database,
      MeetingStore meetings,
      BotRemoval bots,
      List<WorkflowSource> more,
      Terms terms,
      MeterRegistry registry,
      OpenTelemetry telemetry) {
    this.terms = terms;
    LongPollConfig waiting = terms.runs() ? terms.longPoll() : LongPollConfig.defaults();
    this.provider = PostgresProvider.open(url, listenUrl, SCHEMA, waiting);
    Durable.Builder builder = Durable.over(provider, waiting).traces(new WorkflowTraces(telemetry));
    WorkflowStore store = new WorkflowStore(database);
    new PostMeetingWorkflow(meetings, bots, terms.lastWords()).register(builder);
    new Retention(provider.admin(), store).register(builder);
    more.forEach(source -> source.register(builder));
    this.engine =
        terms.runs()
            ? builder
                .size(
                    new Dispatchers.Size(terms.orchestrators(), terms.workers(), WARM, LOCK, LOCK))
                .start()
            : builder.connect();
    this.endpoints = new WorkflowEndpoints(store, engine);
    new WorkflowMeters(provider).register(registry);
    if (terms.runs()) {
      Retention.schedule(engine, terms.retention());
      takeOver(database);
    }
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /** Whether this node receives notifications of new work. */
  public Health.Reading health() {
    if (!terms.runs()) {
      return Health.Reading.ok();
    }
    if (!terms.longPoll().enabled()) {
      return new Health.Reading(Health.Status.OK, "long polling is off; workflows are polled for");
    }
    return provider.announced()
        ? Health.Reading.ok()
        : Health.Reading.degraded("no notifications of new work; polling");
  }

  Durable engine() {
    return engine;
  }

  @Override
  public void close() {
    engine.close();
  }

  /** Orders from before there was an engine. */
  private static void takeOver(Database database) {
    try {
      long taken = PostMeeting.takeOver(database);
      if (taken > 0) {
        log.info("{} meetings that had ended before are followed now", taken);
      }
    } catch (StoreUnavailable e) {
      log.warn("what ended before will be followed after the next start: {}", e.getMessage());
    }
  }
}
