package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server and pods with connections of their own, on a Redis that a test torments. */
final class Fleet implements AutoCloseable {
  /** The seed's rules with shorter times. */
  static final DispatchTerms TERMS =
      DispatchTerms.of(Duration.ofSeconds(60), Duration.ofSeconds(3), 20, Duration.ofMillis(300));

  private static final Duration LONG = Duration.ofSeconds(40);

  /** Tasks before the fault, and until it is over: then as many again. */
  private static final int SPELL = 60;

  private final String url;
  private final Redis redis;
  private final Database database =
      Database.open(
          DatabaseUrl.parse(Stores.forTests().freshDatabase()), 4, "fleet", List.of("public"));
  private final PostgresLedger ledger = new PostgresLedger(database, this::note);
  private final Tasks tasks;
  private final Dispatch dispatch;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Map<String, TaskState> ends = new ConcurrentHashMap<>();
  private final Signal<String> ended = new Signal<>();
  private final Queue<String> attempts = new ConcurrentLinkedQueue<>();
  private final List<String> accepted = new ArrayList<>();
  private int pods;

  Fleet(String url) {
    this.url = url;
    this.redis = Redis.open(url);
    database.run(
        tx -> {
          int _ = tx.sql(DispatchTest.ddl()).update();
        });
    this.tasks = new Tasks(redis, TERMS);
    this.dispatch = new Dispatch(tasks, ledger);
  }

  String url() {
    return url;
  }

  Tasks tasks() {
    return tasks;
  }

  Dispatch dispatch() {
    return dispatch;
  }

  Tender tend() {
    Tender tender = new Tender(tasks, ledger, TERMS);
    open.add(tender);
    return tender;
  }

  /** Starts a pod with a connection of its own; every start of a task is noted. */
  Pod pod(String region, int slots, Handler handler) {
    Redis own = Redis.open(url);
    Pod pod =
        new Pod(
            own,
            new PodName("pod-" + ++pods, region),
            slots,
            Capacity.COUNT_ONLY,
            TERMS,
            run -> {
              attempts.add(run.task().id() + " attempt " + run.task().attempt());
              return handler.run(run);
            });
    open.add(own);
    open.add(pod);
    return pod;
  }

  void submit(String id, String region) {
    assertThat(dispatch.submit(Kit.task(id, region, "room-" + id.hashCode() % 7)))
        .isInstanceOf(Enqueued.Created.class);
    accepted.add(id);
  }

  TaskState awaitEnd(String id) {
    try (Observation<String> over = ended.observe()) {
      while (!ends.containsKey(id)) {
        String _ = over.await(LONG);
      }
    }
    return ends.get(id);
  }

  /**
   * Tasks come and run while something dies, and go on to come until what died has been replaced
   * and compared with the ledger.
   */
  void loadThrough(List<String> regions, Runnable fault) throws Exception {
    Tender second = tend();
    for (int i = 0; i < 2; i++) {
      for (String region : regions.subList(0, 2)) {
        Pod _ = pod(region, 3, Fleet::shortly);
      }
    }
    try (Observation<Integer> compared = second.rebuilt().observe();
        Observation<Integer> comparedElsewhere = first().rebuilt().observe()) {
      submitSome("before", regions);
      CountDownLatch dead = new CountDownLatch(1);
      CompletableFuture<Void> during =
          CompletableFuture.runAsync(
              () -> {
                submitSome("during", regions);
                dead.countDown();
              },
              Thread::startVirtualThread);
      fault.run();
      assertThat(dead.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      during.join();
      while (compared.drain().isEmpty() && comparedElsewhere.drain().isEmpty()) {
        submitSome("meanwhile" + accepted.size(), regions.subList(0, 1), 1);
        Optional<Task> _ = dispatch.find(accepted.getLast());
      }
      submitSome("after", regions);
    }
  }

  void everyAcceptedTaskHasEnded() {
    assertThat(accepted)
        .allSatisfy(id -> assertThat(awaitEnd(id)).isIn(TaskState.SUCCESS, TaskState.FAILED));
    assertThat(ledger.open("", 10)).isEmpty();
  }

  void noAttemptWasHeldByTwo() {
    assertThat(attempts).doesNotHaveDuplicates().hasSizeGreaterThan(3 * SPELL - 1);
  }

  @Override
  public void close() {
    for (AutoCloseable each : open.reversed()) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    dispatch.close();
    redis.close();
    database.close();
  }

  private Tender first() {
    return (Tender) open.stream().filter(Tender.class::isInstance).findFirst().orElseThrow();
  }

  private void submitSome(String prefix, List<String> regions) {
    submitSome(prefix, regions, SPELL);
  }

  private void submitSome(String prefix, List<String> regions, int count) {
    for (int i = 0; i < count; i++) {
      submit(prefix + "-" + i, regions.get(i % regions.size()));
    }
  }

  /** Work that takes a moment, during which its lease may be lost. */
  private static Outcome shortly(TaskRun run) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    run.onStop(stopped::countDown);
    boolean _ = stopped.await(20, TimeUnit.MILLISECONDS);
    return new Outcome.Done();
  }

  private void note(io.convoke.engine.sql.Tx tx, List<Told> moves) {
    for (Told told : moves) {
      if (told.move().state().terminal()) {
        ends.put(told.move().id(), told.move().state());
        ended.emit(told.move().id());
      }
    }
  }
}
