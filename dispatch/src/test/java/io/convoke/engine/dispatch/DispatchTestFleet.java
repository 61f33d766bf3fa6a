package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server and pods, each with its own connection, on a Redis to which tests inject faults. */
final class DispatchTestFleet implements AutoCloseable {
  /** The default settings with shorter times. */
  static final DispatchConfig CONFIG =
      DispatchConfig.of(Duration.ofSeconds(60), Duration.ofSeconds(3), 20, Duration.ofMillis(300));

  static final Duration LONG = Duration.ofSeconds(40);

  /** Submits tasks before, during and after a fault. */
  private static final int SPELL = 60;

  /** Three times the slots of all pods. */
  private static final int WAITING = 36;

  private final String url;
  private final String prefix;
  private final Redis redis;
  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()), 4, "fleet", List.of("public"));
  private final PostgresTaskStore ledger = new PostgresTaskStore(database, this::note);
  private final TaskQueue taskQueue;
  private final DispatchService dispatchService;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Map<String, TaskState> ends = new ConcurrentHashMap<>();
  private final TestSignal<String> ended = new TestSignal<>();
  private final Queue<String> attempts = new ConcurrentLinkedQueue<>();
  private final Queue<String> accepted = new ConcurrentLinkedQueue<>();
  private int pods;

  /** While closed, running tasks do not end. */
  private volatile CountDownLatch gate = new CountDownLatch(0);

  DispatchTestFleet(String url) {
    this(url, "");
  }

  /** Prefix of task and pod ids, for stores with leftovers of earlier fleets. */
  DispatchTestFleet(String url, String prefix) {
    this.url = url;
    this.prefix = prefix;
    this.redis = Redis.open(url);
    database.run(
        tx -> {
          int _ = tx.sql(DispatchServiceTest.ddl()).update();
        });
    this.taskQueue = new TaskQueue(redis, CONFIG);
    this.dispatchService = new DispatchService(taskQueue, ledger);
  }

  String url() {
    return url;
  }

  TaskQueue tasks() {
    return taskQueue;
  }

  DispatchService dispatch() {
    return dispatchService;
  }

  void runTicks() {
    open.add(new DispatchMaintainer(taskQueue, ledger, CONFIG));
  }

  /** Starts a pod with its own connection and records every start of a task. */
  Pod pod(String region, int slots, AttemptHandler attemptHandler) {
    Redis own = Redis.open(url);
    Pod pod =
        new Pod(
            own,
            new PodId(prefix + "pod-" + ++pods, region),
            slots,
            PodCapacity.COUNT_ONLY,
            CONFIG,
            run -> {
              attempts.add(run.task().id() + " attempt " + run.task().attempt());
              return attemptHandler.run(run);
            });
    open.add(own);
    open.add(pod);
    return pod;
  }

  void submit(String id, String region) {
    assertThat(
            dispatchService.submit(DispatchTestKit.task(id, region, "room-" + id.hashCode() % 7)))
        .isInstanceOf(EnqueueResult.Created.class);
    accepted.add(id);
  }

  TaskState awaitEnd(String id) {
    try (SignalObservation<String> over = ended.observe()) {
      while (!ends.containsKey(id)) {
        String _ = over.await(LONG);
      }
    }
    return ends.get(id);
  }

  /**
   * Submits and runs tasks while the master of a key space is killed, until another has taken over
   * and was compared with the database. The writes just before the kill reach no replica; running
   * tasks must end, pending ones must run and end.
   */
  void loadThrough(List<String> regions, KeySpace keySpace, Consumer<Runnable> death) {
    runTicks();
    for (int i = 0; i < 2; i++) {
      for (String region : regions.subList(0, 2)) {
        Pod _ = pod(region, 3, this::shortly);
      }
    }
    submitSome("before", regions, SPELL);
    String died = redis.runId(keySpace.prefix());
    gate = new CountDownLatch(1);
    submitSome("waits", regions.subList(0, 2), WAITING);
    long _ = redis.call(keySpace.prefix(), commands -> commands.waitForReplication(1, 1000));
    death.accept(
        () -> {
          gate.countDown();
          assertThat(awaitEnd(prefix + "waits-" + (WAITING - 1))).isEqualTo(TaskState.SUCCESS);
          submitSome("halfway", regions, regions.size());
        });
    long deadline = System.nanoTime() + LONG.toNanos();
    for (int i = 0; !wholeElsewhere(keySpace, died); i++) {
      assertThat(System.nanoTime()).as("nobody took over in time").isLessThan(deadline);
      submit(prefix + "meanwhile-" + i, regions.get(i % regions.size()));
    }
    submitSome("after", regions, SPELL);
  }

  private boolean wholeElsewhere(KeySpace keySpace, String died) {
    try {
      String now = redis.runId(keySpace.prefix());
      return !now.equals(died)
          && now.equals(
              redis.<@Nullable String>call(
                  keySpace.server(), commands -> commands.get(keySpace.server())));
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  void everyAcceptedTaskHasEnded() {
    assertThat(accepted)
        .allSatisfy(id -> assertThat(awaitEnd(id)).isIn(TaskState.SUCCESS, TaskState.FAILED));
    database.run(
        tx -> {
          // After the transaction that recorded the last of them.
          int _ = tx.sql("lock table tasks in share mode").update();
        });
    assertThat(ledger.open("", 10)).isEmpty();
  }

  void noAttemptWasHeldByTwo() {
    assertThat(attempts).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(2 * SPELL + WAITING);
  }

  /** The counts of a run. */
  String sums() {
    long success = ends.values().stream().filter(TaskState.SUCCESS::equals).count();
    return accepted.size()
        + " accepted, "
        + success
        + " succeeded, "
        + attempts.size()
        + " attempts";
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
    dispatchService.close();
    redis.close();
    database.close();
  }

  private void submitSome(String when, List<String> regions, int count) {
    for (int i = 0; i < count; i++) {
      submit(prefix + when + "-" + i, regions.get(i % regions.size()));
    }
  }

  /** A short task during which its lease may be lost. */
  private AttemptOutcome shortly(TaskAttempt run) throws InterruptedException {
    gate.await();
    CountDownLatch stopped = new CountDownLatch(1);
    run.onStop(stopped::countDown);
    boolean _ = stopped.await(20, TimeUnit.MILLISECONDS);
    return new AttemptOutcome.AttemptDone();
  }

  private void note(io.convoke.engine.sql.Tx tx, List<RecordedTransition> moves) {
    for (RecordedTransition recordedTransition : moves) {
      if (recordedTransition.move().state().terminal()) {
        ends.put(recordedTransition.move().id(), recordedTransition.move().state());
        ended.emit(recordedTransition.move().id());
      }
    }
  }
}
