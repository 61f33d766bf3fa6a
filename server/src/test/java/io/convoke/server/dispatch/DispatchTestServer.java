package io.convoke.server.dispatch;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.AttemptHandler;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.DispatchMaintainer;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.events.EventsEndpoints;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.TestServer;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.launch.Await;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The dispatch side of a server with its own database and Redis, and pods when a test wants some.
 */
final class DispatchTestServer implements AutoCloseable {
  private static final String GENERATION = "convoke:dispatch:generation";
  static final Duration SOON = Duration.ofSeconds(20);

  /** The default settings with shorter times. */
  static final DispatchConfig SHORT =
      DispatchConfig.of(Duration.ofSeconds(2), Duration.ofSeconds(3), 3, Duration.ofSeconds(1));

  /** A payload with the fields of the contract. */
  static final String TOKEN = "007eJxSULJSqLNSUCjPyM9VsLJSUKOhKFNrq1CqVGOkZpZUqmknKpUw1AD";

  final EmbeddedRedis redisServer = LocalStores.forTests().ownRedis();
  final Redis redis = Redis.open(redisServer.url());
  final DatabaseUrl databaseUrl = DatabaseUrl.parse(MigratedDatabase.url());
  final Database database = Database.open(databaseUrl, 4, "test", Migrations.SCHEMAS);
  final Journal journal = new Journal(database);
  final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  final AccessTokenSealer tokens = new AccessTokenSealer(secrets);
  final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  final LinkedBlockingQueue<TaskAttempt> begun = new LinkedBlockingQueue<>();
  final DispatchConfig config;
  final DispatchFeature dispatch;
  final TestServer server;
  private final List<AutoCloseable> more = new ArrayList<>();
  private int pods;

  DispatchTestServer(DispatchConfig config, boolean remembers) {
    this(config, remembers, _ -> TaskRule.NONE, _ -> (tx, moves) -> {});
  }

  /** A server with a rule about tasks and what follows their transitions. */
  DispatchTestServer(
      DispatchConfig config,
      boolean remembers,
      Function<Database, TaskRule> rule,
      Function<Database, PostgresTaskStore.TransitionListener> follower) {
    this.config = config;
    dispatch =
        new DispatchFeature(
            redis,
            database,
            journal,
            secrets,
            new DispatchFeature.DispatchFeatureConfig(config, remembers, Duration.ZERO),
            rule.apply(database),
            follower.apply(database),
            meters);
    List<Endpoint> endpoints = new ArrayList<>(dispatch.endpoints());
    endpoints.addAll(new EventsEndpoints(journal).endpoints());
    server =
        TestServer.of(
            endpoints,
            HttpConfig.at("127.0.0.1", 0),
            new IdempotencyStore(database, secrets),
            List.of());
  }

  /** A server that has compared its Redis with the database: it accepts tasks by Redis' clock. */
  static DispatchTestServer open(DispatchConfig config) {
    return new DispatchTestServer(config, true).started();
  }

  /** The same of a server that was made. */
  DispatchTestServer started() {
    dispatch.start();
    Await.until(
        "Redis is compared with the database",
        () -> redis.call(GENERATION, commands -> commands.exists(GENERATION)) > 0);
    return this;
  }

  /** Observes every recorded batch of transitions from now on. */
  SignalObservation<List<TaskTransition>> carried() {
    return dispatch.maintainer().map(DispatchMaintainer::relayed).orElseThrow().observe();
  }

  /** Waits until the database has a task in a state. */
  static void await(SignalObservation<List<TaskTransition>> carried, String id, TaskState state) {
    List<TaskTransition> _ =
        carried.await(
            moves ->
                moves.stream()
                    .anyMatch(
                        taskTransition ->
                            taskTransition.id().equals(id) && taskTransition.state() == state),
            SOON);
  }

  /** A task with its own id and request id. */
  static Map<String, Object> task(String id) {
    Map<String, Object> task = new LinkedHashMap<>();
    task.put("id", id);
    task.put("request_id", "req_" + id);
    task.put("type", "snapshot");
    task.put("action", "start");
    task.put("channel", "meeting-room-alpha");
    task.put("region", "us-east-1");
    task.put(
        "payload",
        Map.of(
            "access_token",
            TOKEN,
            "workerUid",
            42,
            "interval_in_ms",
            15000,
            "layout",
            "flat",
            "uid",
            List.of("user123", "user456")));
    return task;
  }

  static Map<String, Object> task(String id, String member, Object value) {
    Map<String, Object> task = task(id);
    task.put(member, value);
    return task;
  }

  /** A pod with two slots that reports each start. */
  Pod pod(String region, AttemptHandler attemptHandler) {
    return pod(redis, region, attemptHandler);
  }

  Pod pod(Redis own, String region, AttemptHandler attemptHandler) {
    pods++;
    Pod pod =
        new Pod(
            own,
            new PodId("pod-" + pods, region),
            2,
            PodCapacity.COUNT_ONLY,
            config,
            run -> {
              begun.add(run);
              return attemptHandler.run(run);
            });
    more.add(pod);
    return pod;
  }

  /** The next task that a pod began. */
  TaskAttempt begun() throws InterruptedException {
    TaskAttempt run = begun.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
    if (run == null) {
      throw new AssertionError("no pod began anything");
    }
    return run;
  }

  static AttemptOutcome done(TaskAttempt run) {
    return new AttemptOutcome.AttemptDone();
  }

  /** Works until a stop request. */
  static AttemptOutcome untilStopped(TaskAttempt run) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    run.onStop(stopped::countDown);
    stopped.await();
    return new AttemptOutcome.AttemptDone();
  }

  <T extends AutoCloseable> T keep(T part) {
    more.add(part);
    return part;
  }

  @Override
  public void close() {
    server.close();
    try {
      for (AutoCloseable part : more.reversed()) {
        part.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    dispatch.close();
    journal.close();
    redis.close();
    redisServer.close();
    database.close();
  }
}
