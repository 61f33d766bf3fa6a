package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis that comes back without what it wrote last, and a ledger that knows it. */
class LostWritesTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchTerms TERMS = DispatchTerms.seed();

  private final RedisServer server = Stores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(Stores.forTests().freshDatabase()), 4, "dispatch", List.of("public"));
  private final PostgresLedger ledger = new PostgresLedger(database, (tx, moves) -> {});
  private final Tasks tasks = new Tasks(redis, TERMS);
  private final Dispatch dispatch = new Dispatch(tasks, ledger);

  @BeforeEach
  void table() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchTest.ddl()).update();
        });
  }

  @AfterEach
  void close() {
    dispatch.close();
    redis.close();
    server.close();
    database.close();
  }

  /** The power fails: what Redis wrote last is gone, what the ledger heard is not. */
  @Test
  void whatHadEndedIsNotOpenAgainInARedisThatLostItsLastWrites() {
    try (Tender tender = new Tender(tasks, ledger, TERMS);
        Observation<List<Move>> carried = tender.carried().observe()) {
      assertThat(dispatch.submit(Kit.task("done", "eu", "room")))
          .isInstanceOf(Enqueued.Created.class);
      List<Move> _ =
          carried.await(moves -> DispatchTest.has(moves, "done", TaskState.PENDING), LONG);
      long written = server.written();
      Pod pod =
          new Pod(
              redis,
              new PodName("pod", "eu"),
              1,
              Capacity.COUNT_ONLY,
              TERMS,
              run -> new Outcome.Done());
      List<Move> _ =
          carried.await(moves -> DispatchTest.has(moves, "done", TaskState.SUCCESS), LONG);
      pod.close();
      try (Observation<Integer> rebuilt = tender.rebuilt().observe()) {
        server.killLosing(written);
        server.restart();
        int _ = rebuilt.await(LONG);
      }
    }
    assertThat(tasks.find("done").map(Task::state))
        .isIn(Optional.empty(), Optional.of(TaskState.SUCCESS));
    assertThat(tasks.places().global().tick().on(redis).live()).isNotPositive();
    assertThat(ledger.ended(Duration.ofMinutes(1), 10))
        .containsExactly(new EndedTask("done", TaskState.SUCCESS, 1, ""));
  }

  /**
   * Another may have been given the task in what was lost, so nobody is heard before that is known.
   */
  @Test
  void anEndThatCannotBeHeardYetIsToldAgain() {
    Place place = tasks.places().global().place();
    Kit.becomeWhole(redis, place);
    CountDownLatch finish = new CountDownLatch(1);
    Signal<TaskRun> begun = new Signal<>();
    try (Observation<TaskRun> runs = begun.observe();
        Pod pod =
            new Pod(
                redis,
                new PodName("pod", "eu"),
                1,
                Capacity.COUNT_ONLY,
                TERMS,
                run -> {
                  begun.emit(run);
                  finish.await();
                  return new Outcome.Done();
                });
        Observation<Task> ended = pod.ended().observe()) {
      assertThat(tasks.enqueue(Kit.task("a", "eu", "room"))).isInstanceOf(Enqueued.Created.class);
      TaskRun _ = runs.await(LONG);
      String _ = redis.call(commands -> commands.set(place.server(), "run_id:0"));
      long _ = redis.call(commands -> commands.del(place.tend()));
      finish.countDown();
      while (redis.call(commands -> commands.llen(place.tend())) == 0) {
        Thread.onSpinWait();
      }
      assertThat(tasks.find("a").map(Task::state)).contains(TaskState.PROCESSING);
      String _ = redis.call(commands -> commands.set(place.server(), redis.runId()));
      assertThat(ended.await(LONG).id()).isEqualTo("a");
      assertThat(tasks.find("a").map(Task::state)).contains(TaskState.SUCCESS);
    }
  }
}
