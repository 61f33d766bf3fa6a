package io.convoke.server.dispatch;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.DispatchMaintainer;
import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.DurableTaskStore;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.dispatch.RetryBackoff;
import io.convoke.engine.dispatch.TaskListQueries;
import io.convoke.engine.dispatch.TaskQueue;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Wires dispatch: its endpoints serve the role {@code api}; {@link #start} adds the maintenance of
 * the role {@code dispatch}.
 */
public final class DispatchFeature implements AutoCloseable {
  private final Redis redis;
  private final DurableTaskStore durableTaskStore;
  private final TaskQueue taskQueue;
  private final DispatchConfig config;
  private final DispatchService dispatchService;
  private final DispatchMetrics meters;
  private final List<Endpoint> endpoints;
  private final Duration tickBound;
  private final Optional<Database> rows;
  private final Duration kept;
  private volatile @Nullable DispatchMaintainer dispatchMaintainer;
  private @Nullable TaskRetention retention;

  /**
   * The settings of dispatch.
   *
   * @param durable whether accepted tasks are stored in Postgres
   * @param kept how long ended tasks are stored; zero is forever
   */
  public record DispatchFeatureConfig(DispatchConfig dispatch, boolean durable, Duration kept) {
    /** Reads the settings. */
    public static DispatchFeatureConfig of(ServerConfig config) {
      return new DispatchFeatureConfig(
          DispatchConfig.of(
                  config.get(BackgroundWorkSettings.DISPATCH_TASK_TIMEOUT),
                  config.get(BackgroundWorkSettings.DISPATCH_LEASE),
                  config.get(BackgroundWorkSettings.DISPATCH_MAX_ATTEMPTS),
                  config.get(BackgroundWorkSettings.DISPATCH_OVERFLOW_AFTER))
              .deadAfter(config.get(BackgroundWorkSettings.DISPATCH_DEAD_AFTER))
              .with(
                  RetryBackoff.of(
                      config.get(BackgroundWorkSettings.DISPATCH_RETRY_BACKOFF),
                      config.get(BackgroundWorkSettings.DISPATCH_RETRY_BACKOFF_MAX))),
          config.get(BackgroundWorkSettings.DISPATCH_LEDGER)
              == BackgroundWorkSettings.TaskStoreSetting.POSTGRES,
          config.get(BackgroundWorkSettings.DISPATCH_RETENTION));
    }
  }

  /**
   * Wires the parts; maintenance begins with {@link #start}.
   *
   * @param rule about the tasks of users
   * @param follower hears of stored tasks in the transaction that records what they became
   */
  public DispatchFeature(
      Redis redis,
      Database database,
      Journal journal,
      SecretBox secrets,
      DispatchFeatureConfig all,
      TaskRule rule,
      PostgresTaskStore.TransitionListener follower,
      MeterRegistry registry) {
    this.redis = redis;
    this.config = all.dispatch();
    this.kept = all.kept();
    this.rows = Optional.of(database).filter(_ -> all.durable());
    this.meters = new DispatchMetrics(registry);
    TaskJournal events = new TaskJournal(journal, meters);
    this.durableTaskStore =
        all.durable()
            ? new PostgresTaskStore(
                database,
                (tx, moves) -> {
                  events.moved(tx, moves);
                  follower.moved(tx, moves);
                })
            : DurableTaskStore.NONE;
    this.taskQueue = new TaskQueue(redis, config);
    this.dispatchService = new DispatchService(taskQueue, durableTaskStore);
    this.tickBound = config.idle().multipliedBy(2);
    meters.watch(dispatchService::stats);
    this.endpoints = new ArrayList<>();
    endpoints.addAll(
        new TaskEndpoints(
                dispatchService,
                rows.map(TaskListQueries::new),
                journal,
                new AccessTokenSealer(secrets),
                meters,
                config,
                user -> rows.map(it -> hasUser(it, user)).orElse(true),
                rule)
            .endpoints());
    endpoints.addAll(
        new DeadLetterEndpoints(
                dispatchService,
                rows.map(it -> new DeadLetterStore(it, events)),
                new TaskRequeuer(dispatchService, secrets),
                rule)
            .endpoints());
  }

  public List<Endpoint> endpoints() {
    return List.copyOf(endpoints);
  }

  private static boolean hasUser(Database database, long user) {
    return database.read(
        tx ->
            tx.sql("select exists (select from users where id = ?) as known")
                .with(user)
                .one(resultRow -> resultRow.booleanAt("known")));
  }

  /**
   * Submits a task of the server's own, without quotas and rules; with the same id again it is the
   * same task.
   *
   * @return false if its queue is full
   */
  public boolean submit(NewTask task) {
    EnqueueResult result = dispatchService.submit(task);
    meters.submitted(result);
    return switch (result) {
      case EnqueueResult.Created _,
          EnqueueResult.AlreadyEnqueued _,
          EnqueueResult.IdTaken _,
          EnqueueResult.ChannelBusy _ ->
          true;
      case EnqueueResult.QueueFull _ -> false;
    };
  }

  /** Stops stored tasks in the caller's transaction; Redis hears of it after the commit. */
  public void stop(Tx tx, List<String> ids) {
    if (ids.isEmpty()) {
      return;
    }
    int _ =
        tx.sql("update tasks set desired = 'stop' where id = any(?) and completed_at is null")
            .with((Object) ids.toArray(String[]::new))
            .update();
    tx.afterCommit(
        () -> {
          for (String id : ids) {
            var _ = dispatchService.stop(id);
          }
        });
  }

  /** Listens on {@link PostgresTaskStore#CHANNEL} for servers that cannot reach Redis. */
  public PostgresListener.NotificationReceiver receiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        dispatchService.deliverPending();
      }

      @Override
      public void rescan() {
        dispatchService.deliverPending();
      }
    };
  }

  /** Starts maintenance: timeouts, leases, overflow, outbox relay, restore of Redis. */
  public void start() {
    dispatchMaintainer = new DispatchMaintainer(taskQueue, durableTaskStore, config, meters);
    if (!kept.isZero()) {
      rows.ifPresent(database -> retention = new TaskRetention(database, kept));
    }
  }

  /** Whether tasks reach pods, and whether maintenance runs here where it should. */
  public HealthChecks.HealthReading health() {
    if (!redis.available()) {
      return HealthChecks.HealthReading.degraded(
          durableTaskStore.isDurable()
              ? "Redis unreachable; tasks are accepted and wait"
              : "Redis unreachable; tasks are not stored, so none is accepted");
    }
    DispatchMaintainer current = dispatchMaintainer;
    if (current != null && current.sinceLastTick().compareTo(tickBound) > 0) {
      return HealthChecks.HealthReading.degraded(
          "no dispatch maintenance here for " + current.sinceLastTick().toSeconds() + " s");
    }
    int owed = dispatchService.pendingInserts();
    return owed == 0
        ? HealthChecks.HealthReading.ok()
        : HealthChecks.HealthReading.degraded(owed + " accepted tasks await delivery to Redis");
  }

  Optional<DispatchMaintainer> maintainer() {
    return Optional.ofNullable(dispatchMaintainer);
  }

  @Override
  public void close() {
    DispatchMaintainer current = dispatchMaintainer;
    if (current != null) {
      current.close();
    }
    if (retention != null) {
      retention.close();
    }
    dispatchService.close();
  }
}
