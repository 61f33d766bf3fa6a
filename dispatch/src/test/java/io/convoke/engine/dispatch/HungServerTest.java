package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that hangs in the middle of an operation while Redis loses its data, and then goes on;
 * and a database that hangs.
 */
class HungServerTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /**
   * A lease much shorter than {@link #LONG}: if the start of the attempt was recorded before Redis
   * lost it, the task starts again when the attempt's lease ends.
   */
  private static final DispatchConfig CONFIG =
      DispatchConfig.of(Duration.ofSeconds(30), Duration.ofSeconds(4), 3, Duration.ofSeconds(10));

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
          6,
          "dispatch",
          List.of("public"));
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final PostgresTaskStore ledger = new PostgresTaskStore(database, HungServerTest::note);
  private final DispatchService dispatchService = new DispatchService(taskQueue, ledger);
  private final CountDownLatch awake = new CountDownLatch(1);
  private final TestSignal<String> hangs = new TestSignal<>();

  @BeforeEach
  void tables() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchServiceTest.ddl()).update();
          int _ = tx.sql("create table story (n serial, id text, word text)").update();
        });
  }

  @AfterEach
  void close() {
    awake.countDown();
    dispatchService.close();
    redis.close();
    server.close();
    database.close();
  }

  /** In the transaction that records an end. Other servers must not start the task again. */
  @Tag("nightly")
  @Test
  void anEndInADelayedTransactionIsNotRecordedAfterTheTaskStartedAgain() {
    PostgresTaskStore hung =
        new PostgresTaskStore(
            database,
            (tx, moves) -> {
              note(tx, moves);
              if (moves.stream()
                  .anyMatch(recordedTransition -> recordedTransition.move().state().terminal())) {
                hang("writes an end");
              }
            });
    try (SignalObservation<String> hanging = hangs.observe();
        DispatchMaintainer _ = new DispatchMaintainer(taskQueue, hung, CONFIG);
        Pod pod = pod();
        SignalObservation<Task> ended = pod.ended().observe()) {
      submit("a");
      assertThat(ended.await(LONG).attempt()).isEqualTo(1);
      String _ = hanging.await(LONG);
      try (DispatchMaintainer _ = new DispatchMaintainer(taskQueue, ledger, CONFIG)) {
        server.flush();
        int last = ended.await(LONG).attempt();
        awake.countDown();
        // One of the two relays records it.
        assertThat(storyToTheEnd("a")).endsWith("PROCESSING " + last, "SUCCESS " + last);
      }
    }
  }

  /** Between reading the open tasks and sending them to Redis. */
  @Test
  void whatWasReadBeforeRedisWasComparedIsNotTakenIn() {
    accept("a");
    try (DispatchMaintainer dispatchMaintainer =
        new DispatchMaintainer(taskQueue, ledger, CONFIG)) {
      assertThat(
              taskQueue.restore(
                  () -> {
                    List<OpenTask> read = ledger.open(List.of("a"));
                    endElsewhere(dispatchMaintainer, "a");
                    return read;
                  }))
          .isFalse();
      assertThat(taskQueue.find("a")).isEmpty();
    }
  }

  /**
   * Between the database commit and Redis: another server has delivered the task and it has ended.
   */
  @Test
  void whatWasAcceptedBeforeRedisWasComparedIsNotTakenInAgain() {
    NewTask task = DispatchTestKit.task("a", "eu", "room");
    String before = taskQueue.generation(task);
    accept("a");
    try (DispatchMaintainer dispatchMaintainer =
        new DispatchMaintainer(taskQueue, ledger, CONFIG)) {
      endElsewhere(dispatchMaintainer, "a");
      assertThat(taskQueue.enqueueAccepted(task, before)).isEmpty();
      assertThat(taskQueue.find("a")).isEmpty();
      assertThat(
              taskQueue.enqueueAccepted(
                  DispatchTestKit.task("b", "eu", "room"), taskQueue.generation(task)))
          .containsInstanceOf(EnqueueResult.Created.class);
    }
  }

  /** One of the stores was restored from a backup: they are compared. */
  @Test
  void anUnknownGenerationIsReplaced() {
    try (DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
        SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe();
        SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
        Pod _ = pod()) {
      submit("a");
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "a", TaskState.SUCCESS), LONG);
      rebuilt.drain();
      database.run(
          tx -> {
            int _ = tx.sql("update dispatch_generations set generation = 'older'").update();
          });
      submit("b");
      List<TaskTransition> _ =
          relayed.await(moves -> DispatchServiceTest.has(moves, "b", TaskState.SUCCESS), LONG);
      assertThat(rebuilt.drain()).hasSize(1);
    }
  }

  /** In the scan for undelivered tasks. */
  @Test
  void redisIsMaintainedWhileTheDatabaseHangs() {
    DurableTaskStore hung =
        new NoopTaskStore() {
          @Override
          public List<OpenTask> undelivered(int limit) {
            hang("scans");
            return List.of();
          }
        };
    try (SignalObservation<String> hanging = hangs.observe();
        DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, hung, CONFIG);
        SignalObservation<Integer> ticked = dispatchMaintainer.ticked().observe()) {
      String _ = hanging.await(LONG);
      EnqueueResult _ = taskQueue.enqueue(DispatchTestKit.task("a", "eu", "room"));
      int _ = ticked.await(open -> open == 1, LONG);
    }
  }

  /** It runs and ends, the database records the end, and Redis loses it. */
  private void endElsewhere(DispatchMaintainer dispatchMaintainer, String id) {
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
        SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe()) {
      while (!taskQueue.restore(() -> ledger.open(List.of(id)))) {
        LockSupport.parkNanos(10_000_000);
      }
      try (Pod _ = pod()) {
        List<TaskTransition> _ =
            relayed.await(moves -> DispatchServiceTest.has(moves, id, TaskState.SUCCESS), LONG);
      }
      rebuilt.drain();
      server.flush();
      submit("next");
      int _ = rebuilt.await(LONG);
    }
  }

  private void submit(String id) {
    assertThat(dispatchService.submit(DispatchTestKit.task(id, "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  private void accept(String id) {
    assertThat(ledger.accept(DispatchTestKit.task(id, "eu", "room")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.TaskInserted());
  }

  private void hang(String where) {
    hangs.emit(where);
    try {
      awake.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Pod pod() {
    return new Pod(
        redis,
        new PodId("pod", "eu"),
        1,
        PodCapacity.COUNT_ONLY,
        CONFIG,
        run -> new AttemptOutcome.AttemptDone());
  }

  private static void note(Tx tx, List<RecordedTransition> moves) {
    for (RecordedTransition recordedTransition : moves) {
      TaskTransition taskTransition = recordedTransition.move();
      int _ =
          tx.sql("insert into story (id, word) values (?, ?)")
              .with(taskTransition.id(), taskTransition.state() + " " + taskTransition.attempt())
              .update();
    }
  }

  private List<String> storyToTheEnd(String id) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!ledger.find(id).orElseThrow().state().terminal()) {
      assertThat(System.nanoTime()).as("the end of " + id).isLessThan(deadline);
      LockSupport.parkNanos(10_000_000);
    }
    return database.read(
        tx ->
            tx.sql("select word from story where id = ? order by n")
                .with(id)
                .list(resultRow -> resultRow.text("word")));
  }
}
