package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that hangs amid something while Redis forgets all, and goes on where it was. */
class HungServerTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchTerms TERMS = DispatchTerms.seed();

  private final RedisServer server = Stores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(Stores.forTests().freshDatabase()), 6, "dispatch", List.of("public"));
  private final Tasks tasks = new Tasks(redis, TERMS);
  private final PostgresLedger ledger = new PostgresLedger(database, HungServerTest::note);
  private final Dispatch dispatch = new Dispatch(tasks, ledger);
  private final CountDownLatch awake = new CountDownLatch(1);
  private final Signal<String> hangs = new Signal<>();

  @BeforeEach
  void tables() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchTest.ddl()).update();
          int _ = tx.sql("create table story (n serial, id text, word text)").update();
        });
  }

  @AfterEach
  void close() {
    awake.countDown();
    dispatch.close();
    redis.close();
    server.close();
    database.close();
  }

  /** Amid the transaction that writes an end down. The others must not begin the task again. */
  @Test
  void anEndThatWasOnItsWayIntoTheLedgerIsNotWrittenAfterTheTaskBeganAgain() {
    PostgresLedger hung =
        new PostgresLedger(
            database,
            (tx, moves) -> {
              note(tx, moves);
              if (moves.stream().anyMatch(told -> told.move().state().terminal())) {
                hang("writes an end");
              }
            });
    try (Observation<String> hanging = hangs.observe();
        Tender _ = new Tender(tasks, hung, TERMS);
        Pod pod = pod();
        Observation<Task> ended = pod.ended().observe()) {
      submit("a");
      assertThat(ended.await(LONG).attempt()).isEqualTo(1);
      String _ = hanging.await(LONG);
      try (Tender _ = new Tender(tasks, ledger, TERMS)) {
        server.flush();
        int last = ended.await(LONG).attempt();
        awake.countDown();
        // Either of the two writes it down.
        assertThat(storyToTheEnd("a")).endsWith("PROCESSING " + last, "SUCCESS " + last);
      }
    }
  }

  /** Between reading what is open and giving it to Redis. */
  @Test
  void whatWasReadBeforeRedisWasComparedIsNotTakenIn() {
    accept("a");
    try (Tender tender = new Tender(tasks, ledger, TERMS)) {
      assertThat(
              tasks.takeIn(
                  () -> {
                    List<OpenTask> read = ledger.open(List.of("a"));
                    endElsewhere(tender, "a");
                    return read;
                  }))
          .isFalse();
      assertThat(tasks.find("a")).isEmpty();
    }
  }

  /** Between the ledger's word and Redis: another server has found the task, and it has ended. */
  @Test
  void whatWasAcceptedBeforeRedisWasComparedIsNotTakenInAgain() {
    NewTask task = Kit.task("a", "eu", "room");
    String before = tasks.generation(task);
    accept("a");
    try (Tender tender = new Tender(tasks, ledger, TERMS)) {
      endElsewhere(tender, "a");
      assertThat(tasks.enqueueLedgered(task, before)).isEmpty();
      assertThat(tasks.find("a")).isEmpty();
      assertThat(tasks.enqueueLedgered(Kit.task("b", "eu", "room"), tasks.generation(task)))
          .containsInstanceOf(Enqueued.Created.class);
    }
  }

  /** One of both was put back to an earlier state: they are compared instead of being deaf. */
  @Test
  void aGenerationThatTheLedgerDoesNotKnowIsReplaced() {
    try (Tender tender = new Tender(tasks, ledger, TERMS);
        Observation<Integer> rebuilt = tender.rebuilt().observe();
        Observation<List<Move>> carried = tender.carried().observe();
        Pod _ = pod()) {
      submit("a");
      List<Move> _ = carried.await(moves -> DispatchTest.has(moves, "a", TaskState.SUCCESS), LONG);
      rebuilt.drain();
      database.run(
          tx -> {
            int _ = tx.sql("update dispatch_generations set generation = 'older'").update();
          });
      submit("b");
      List<Move> _ = carried.await(moves -> DispatchTest.has(moves, "b", TaskState.SUCCESS), LONG);
      assertThat(rebuilt.drain()).hasSize(1);
    }
  }

  /** It runs and ends, the ledger has the end, and Redis forgets it. */
  private void endElsewhere(Tender tender, String id) {
    try (Observation<List<Move>> carried = tender.carried().observe();
        Observation<Integer> rebuilt = tender.rebuilt().observe()) {
      while (!tasks.takeIn(() -> ledger.open(List.of(id)))) {
        Thread.onSpinWait();
      }
      try (Pod _ = pod()) {
        List<Move> _ = carried.await(moves -> DispatchTest.has(moves, id, TaskState.SUCCESS), LONG);
      }
      rebuilt.drain();
      server.flush();
      submit("next");
      int _ = rebuilt.await(LONG);
    }
  }

  private void submit(String id) {
    assertThat(dispatch.submit(Kit.task(id, "eu", "room"))).isInstanceOf(Enqueued.Created.class);
  }

  private void accept(String id) {
    assertThat(ledger.accept(Kit.task(id, "eu", "room"))).isEqualTo(new Ledger.Accepted.New());
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
        redis, new PodName("pod", "eu"), 1, Capacity.COUNT_ONLY, TERMS, run -> new Outcome.Done());
  }

  private static void note(Tx tx, List<Told> moves) {
    for (Told told : moves) {
      Move move = told.move();
      int _ =
          tx.sql("insert into story (id, word) values (?, ?)")
              .with(move.id(), move.state() + " " + move.attempt())
              .update();
    }
  }

  private List<String> storyToTheEnd(String id) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!ledger.find(id).orElseThrow().state().terminal()) {
      assertThat(System.nanoTime()).as("the end of " + id).isLessThan(deadline);
      Thread.onSpinWait();
    }
    return database.read(
        tx ->
            tx.sql("select word from story where id = ? order by n")
                .with(id)
                .list(row -> row.text("word")));
  }
}
