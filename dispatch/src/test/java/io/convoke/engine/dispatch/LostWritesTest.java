package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Redis that restarts without its last writes, and a database that has them. */
@Tag("nightly")
class LostWritesTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchConfig CONFIG = DispatchConfig.seed();

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
          4,
          "dispatch",
          List.of("public"));
  private final PostgresTaskStore ledger = new PostgresTaskStore(database, (tx, moves) -> {});
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final DispatchService dispatchService = new DispatchService(taskQueue, ledger);

  @BeforeEach
  void table() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchServiceTest.ddl()).update();
        });
  }

  @AfterEach
  void close() {
    dispatchService.close();
    redis.close();
    server.close();
    database.close();
  }

  private Pod pod(AttemptHandler attemptHandler) {
    return pod("pod", attemptHandler);
  }

  private Pod pod(String name, AttemptHandler attemptHandler) {
    return new Pod(redis, new PodId(name, "eu"), 1, PodCapacity.COUNT_ONLY, CONFIG, attemptHandler);
  }

  /** Submits a task; returns what Redis has written once the database knows that it waits. */
  private long writtenWithPending(String id) {
    try (DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
        SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      assertThat(dispatchService.submit(DispatchTestKit.task(id, "eu", "room")))
          .isInstanceOf(EnqueueResult.Created.class);
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, id, TaskState.PENDING), LONG);
      return server.written();
    }
  }

  /** Returns when this client reaches Redis again. */
  private void restartLosing(long written) {
    server.killLosing(written);
    server.restart();
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!reached() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private boolean reached() {
    try {
      return taskQueue.find("done").isPresent();
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  /** Power failure: Redis loses its last writes, the database does not. */
  @Test
  void whatHadEndedIsNotOpenAgainInARedisThatLostItsLastWrites() {
    try (DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
        SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      assertThat(dispatchService.submit(DispatchTestKit.task("done", "eu", "room")))
          .isInstanceOf(EnqueueResult.Created.class);
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.PENDING), LONG);
      long written = server.written();
      Pod pod = pod(run -> new AttemptOutcome.AttemptDone());
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.SUCCESS), LONG);
      pod.close();
      try (SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe()) {
        server.killLosing(written);
        server.restart();
        int _ = rebuilt.await(LONG);
      }
    }
    assertThat(taskQueue.find("done").map(Task::state))
        .isIn(Optional.empty(), Optional.of(TaskState.SUCCESS));
    assertThat(taskQueue.keySpaces().global().tick().on(redis).live()).isNotPositive();
    assertThat(ledger.ended(List.of("done")))
        .containsExactly(new EndedTask("done", TaskState.SUCCESS, 1, ""));
  }

  /** The stores or all servers were away for minutes; a pod held the task when Redis wrote last. */
  @Test
  void whatHadEndedLongBeforeTheComparisonIsNotOpenAgain() {
    CountDownLatch finish = new CountDownLatch(1);
    try (DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
        SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
        Pod _ =
            pod(
                _ -> {
                  finish.await();
                  return new AttemptOutcome.AttemptDone();
                })) {
      assertThat(dispatchService.submit(DispatchTestKit.task("done", "eu", "room")))
          .isInstanceOf(EnqueueResult.Created.class);
      List<TaskTransition> _ =
          relayed.await(
              moves -> DispatchServiceTest.has(moves, "done", TaskState.PROCESSING), LONG);
      long written = server.written();
      finish.countDown();
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.SUCCESS), LONG);
      try (SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe()) {
        server.killLosing(written);
        database.run(
            tx -> {
              int _ =
                  tx.sql("update tasks set completed_at = now() - interval '2 minutes'").update();
            });
        server.restart();
        int _ = rebuilt.await(LONG);
      }
      assertThat(taskQueue.find("done").map(Task::state)).contains(TaskState.SUCCESS);
      assertThat(taskQueue.keySpaces().global().tick().on(redis).live()).isNotPositive();
    }
  }

  /** The repeated stop ends it in Redis once more, at a later time. */
  @Test
  void aTaskThatWasStoppedAgainInARedisThatLostItsLastWritesIsShownAsItEndedFirst() {
    long written;
    try (DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
        SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      assertThat(dispatchService.submit(DispatchTestKit.task("done", "eu", "room")))
          .isInstanceOf(EnqueueResult.Created.class);
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.PENDING), LONG);
      written = server.written();
      StopResult _ = dispatchService.stop("done");
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.FAILED), LONG);
    }
    restartLosing(written);
    StopResult _ = dispatchService.stop("done");
    assertThat(taskQueue.find("done").map(Task::state)).contains(TaskState.FAILED);
    assertThat(dispatchService.find("done").flatMap(Task::completedAt))
        .isPresent()
        .isEqualTo(ledger.find("done").flatMap(Task::completedAt));
  }

  /** A stop request that comes before the comparison ends the task in Redis alone. */
  @Test
  void whatHadEndedIsShownAsItEndedAlthoughItWasStoppedInARedisThatLostItsLastWrites() {
    long written;
    try (DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
        SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      assertThat(dispatchService.submit(DispatchTestKit.task("done", "eu", "room")))
          .isInstanceOf(EnqueueResult.Created.class);
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.PENDING), LONG);
      written = server.written();
      try (Pod _ = pod(run -> new AttemptOutcome.AttemptDone())) {
        List<TaskTransition> _ =
            relayed.await(moves -> DispatchServiceTest.has(moves, "done", TaskState.SUCCESS), LONG);
      }
    }
    restartLosing(written);
    StopResult _ = dispatchService.stop("done");
    assertThat(taskQueue.find("done").map(Task::state)).contains(TaskState.FAILED);
    Task shown = dispatchService.find("done").orElseThrow();
    assertThat(shown.state()).isEqualTo(TaskState.SUCCESS);
    assertThat(shown.attempt()).isEqualTo(1);
  }

  /**
   * The lost writes may include another claim of the task, so reports are undecided until the
   * comparison.
   */
  @Test
  void anUndecidedCompletionIsReportedAgain() {
    KeySpace keySpace = taskQueue.keySpaces().global().keySpace();
    DispatchTestKit.becomeWhole(redis, keySpace);
    CountDownLatch finish = new CountDownLatch(1);
    TestSignal<TaskAttempt> begun = new TestSignal<>();
    try (SignalObservation<TaskAttempt> runs = begun.observe();
        Pod pod =
            pod(
                run -> {
                  begun.emit(run);
                  finish.await();
                  return new AttemptOutcome.AttemptDone();
                });
        SignalObservation<Task> ended = pod.ended().observe()) {
      assertThat(taskQueue.enqueue(DispatchTestKit.task("a", "eu", "room")))
          .isInstanceOf(EnqueueResult.Created.class);
      TaskAttempt _ = runs.await(LONG);
      String _ = redis.call(commands -> commands.set(keySpace.server(), "run_id:0"));
      long _ = redis.call(commands -> commands.del(keySpace.maintenanceList()));
      finish.countDown();
      while (redis.call(commands -> commands.llen(keySpace.maintenanceList())) == 0) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(taskQueue.find("a").map(Task::state)).contains(TaskState.PROCESSING);
      String _ = redis.call(commands -> commands.set(keySpace.server(), redis.runId()));
      assertThat(ended.await(LONG).id()).isEqualTo("a");
      assertThat(taskQueue.find("a").map(Task::state)).contains(TaskState.SUCCESS);
    }
  }

  /** Neither Redis nor the database knows the claim; the pod that runs the task does. */
  @Test
  void aTaskWhoseClaimWasLostStaysWithThePodThatRunsIt() {
    CountDownLatch finish = new CountDownLatch(1);
    TestSignal<String> begun = new TestSignal<>();
    long written = writtenWithPending("a");
    try (SignalObservation<String> runs = begun.observe();
        Pod _ =
            pod(
                "holder",
                _ -> {
                  begun.emit("holder");
                  finish.await();
                  return new AttemptOutcome.AttemptDone();
                })) {
      assertThat(runs.await(LONG)).isEqualTo("holder");
      server.killLosing(written);
      server.restart();
      try (DispatchMaintainer dispatchMaintainer =
              new DispatchMaintainer(taskQueue, ledger, CONFIG);
          SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
          Pod _ =
              pod(
                  "other",
                  _ -> {
                    begun.emit("other");
                    return new AttemptOutcome.AttemptDone();
                  })) {
        List<TaskTransition> _ =
            relayed.await(moves -> DispatchServiceTest.has(moves, "a", TaskState.PROCESSING), LONG);
        assertThat(taskQueue.find("a").flatMap(Task::podId)).contains("holder");
        finish.countDown();
        List<TaskTransition> _ =
            relayed.await(moves -> DispatchServiceTest.has(moves, "a", TaskState.SUCCESS), LONG);
      }
      assertThat(dispatchService.find("a").map(Task::attempt)).contains(1);
    }
  }

  /** The time for reports is over without one: the pod died with Redis. */
  @Test
  void aTaskWhoseClaimWasLostWithItsPodIsGivenToAnother() {
    TestSignal<Integer> begun = new TestSignal<>();
    long written = writtenWithPending("a");
    server.killLosing(written);
    server.restart();
    try (SignalObservation<Integer> runs = begun.observe();
        Pod _ =
            pod(
                run -> {
                  begun.emit(run.task().attempt());
                  return new AttemptOutcome.AttemptDone();
                });
        DispatchMaintainer _ = new DispatchMaintainer(taskQueue, ledger, CONFIG)) {
      assertThat(runs.await(LONG)).isEqualTo(2);
    }
  }
}
