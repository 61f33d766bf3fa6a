package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Capacity;
import io.convoke.engine.dispatch.DispatchTerms;
import io.convoke.engine.dispatch.Handler;
import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.dispatch.Move;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodName;
import io.convoke.engine.dispatch.TaskRun;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.Tender;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.seal.AccessTokens;
import io.convoke.engine.seal.SecretBox;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import io.convoke.server.events.EventsEndpoints;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.TestDatabase;
import io.convoke.server.http.TestServer;
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

/**
 * The dispatch side of a server with its own database and Redis, and pods when a test wants some.
 */
final class DispatchHouse implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(20);

  /** The seed's rules with shorter times. */
  static final DispatchTerms SHORT =
      DispatchTerms.of(Duration.ofSeconds(2), Duration.ofSeconds(3), 3, Duration.ofSeconds(1));

  /** The seed's payload, "Task Object". */
  static final String TOKEN = "007eJxSULJSqLNSUCjPyM9VsLJSUKOhKFNrq1CqVGOkZpZUqmknKpUw1AD";

  final RedisServer redisServer = Stores.forTests().ownRedis();
  final Redis redis = Redis.open(redisServer.url());
  final Database database = TestDatabase.fresh();
  final Journal journal = new Journal(database);
  final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  final AccessTokens tokens = new AccessTokens(secrets);
  final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  final LinkedBlockingQueue<TaskRun> begun = new LinkedBlockingQueue<>();
  final DispatchTerms terms;
  final TaskDispatch dispatch;
  final TestServer server;
  private final List<AutoCloseable> more = new ArrayList<>();
  private int pods;

  DispatchHouse(DispatchTerms terms, boolean remembers) {
    this.terms = terms;
    dispatch =
        new TaskDispatch(
            redis,
            database,
            journal,
            secrets,
            new TaskDispatch.Terms(terms, remembers, Duration.ZERO),
            meters);
    List<Endpoint> endpoints = new ArrayList<>(dispatch.endpoints());
    endpoints.addAll(new EventsEndpoints(journal).endpoints());
    server = TestServer.of(endpoints.toArray(Endpoint[]::new));
  }

  static DispatchHouse open(DispatchTerms terms) {
    DispatchHouse house = new DispatchHouse(terms, true);
    house.dispatch.start();
    return house;
  }

  /** Every batch of moves that reaches the ledger from now on. */
  Observation<List<Move>> carried() {
    return dispatch.tender().map(Tender::carried).orElseThrow().observe();
  }

  /** Waits until the ledger knows that a task came to a state. */
  static void await(Observation<List<Move>> carried, String id, TaskState state) {
    List<Move> _ =
        carried.await(
            moves -> moves.stream().anyMatch(move -> move.id().equals(id) && move.state() == state),
            SOON);
  }

  /** The seed's task, with an id and a request of its own. */
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

  /** A pod with two slots that tells of each beginning. */
  Pod pod(String region, Handler handler) {
    return pod(redis, region, handler);
  }

  Pod pod(Redis own, String region, Handler handler) {
    pods++;
    Pod pod =
        new Pod(
            own,
            new PodName("pod-" + pods, region),
            2,
            Capacity.COUNT_ONLY,
            terms,
            run -> {
              begun.add(run);
              return handler.run(run);
            });
    more.add(pod);
    return pod;
  }

  /** The next task that a pod began. */
  TaskRun begun() throws InterruptedException {
    TaskRun run = begun.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
    if (run == null) {
      throw new AssertionError("no pod began anything");
    }
    return run;
  }

  static Outcome done(TaskRun run) {
    return new Outcome.Done();
  }

  /** Works until it is told to stop. */
  static Outcome untilStopped(TaskRun run) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    run.onStop(stopped::countDown);
    stopped.await();
    return new Outcome.Done();
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
