package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A 202 means that the task survives FLUSHALL: dispatch with a ledger in a real Postgres. */
class DispatchTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchTerms TERMS =
      DispatchTerms.of(Duration.ofSeconds(30), Duration.ofSeconds(3), 3, Duration.ofSeconds(10));

  private final RedisServer server = Stores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(Stores.forTests().freshDatabase()), 4, "dispatch", List.of("public"));
  private final List<String> journal = java.util.Collections.synchronizedList(new ArrayList<>());
  private final PostgresLedger ledger = new PostgresLedger(database, (tx, moves) -> note(moves));
  private final Tasks tasks = new Tasks(redis, TERMS);
  private final Dispatch dispatch = new Dispatch(tasks, ledger);
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void table() {
    database.run(
        tx -> {
          int _ = tx.sql(ddl()).update();
        });
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    dispatch.close();
    redis.close();
    server.close();
    database.close();
  }

  @Test
  void everyMoveIsWrittenOnceWithItsJournalRowAndTheRowEndsAsTheTaskDid() {
    Tender tender = tend();
    try (Observation<List<Move>> carried = tender.carried().observe()) {
      submit("a");
      pod(run -> new Outcome.Done());
      awaitEnd(carried, "a");
    }
    assertThat(journal).containsExactly("a PENDING 0", "a PROCESSING 1", "a SUCCESS 1");
    Task row = ledger.find("a").orElseThrow();
    assertThat(row.state()).isEqualTo(TaskState.SUCCESS);
    assertThat(row.completedAt()).isPresent();
    assertThat(row.podId()).contains("pod-1");
    assertThat(ledger.open("", 10)).isEmpty();
  }

  /** What waits and what runs: both end although Redis forgot both. */
  @Test
  void whatWasAcceptedEndsAlthoughRedisForgetsEverything() {
    Tender tender = tend();
    CountDownLatch gate = new CountDownLatch(1);
    AtomicBoolean first = new AtomicBoolean(true);
    Pod pod =
        pod(
            run -> {
              if (first.getAndSet(false)) {
                gate.await();
              }
              return new Outcome.Done();
            });
    try (Observation<List<Move>> carried = tender.carried().observe();
        Observation<Integer> rebuilt = tender.rebuilt().observe();
        Observation<Integer> renewed = pod.renewed().observe()) {
      submit("running");
      List<Move> _ = carried.await(moves -> has(moves, "running", TaskState.PROCESSING), LONG);
      submit("waiting");
      List<Move> _ = carried.await(moves -> has(moves, "waiting", TaskState.PENDING), LONG);
      rebuilt.drain();
      server.flush();
      assertThat(rebuilt.await(LONG)).isEqualTo(2);
      renewed.drain();
      int _ = renewed.await(LONG);
      gate.countDown();
      List<String> ended = new ArrayList<>();
      while (ended.size() < 2) {
        carried.await(LONG).stream()
            .filter(move -> move.state() == TaskState.SUCCESS)
            .forEach(move -> ended.add(move.id()));
      }
      assertThat(ended).containsExactlyInAnyOrder("running", "waiting");
    }
    assertThat(dispatch.find("running").orElseThrow().attempt()).isEqualTo(1);
    assertThat(dispatch.find("waiting").orElseThrow().attempt()).isGreaterThan(1);
  }

  @Test
  void aTaskThatWaitsForItsNextTryKeepsItsDueTimeAlthoughRedisForgetsEverything() {
    DispatchTerms patient =
        TERMS.with(new RetryBackoff(Duration.ofMinutes(1), Duration.ofMinutes(2)));
    Tender tender = tend();
    try (Observation<List<Move>> carried = tender.carried().observe();
        Observation<Integer> rebuilt = tender.rebuilt().observe()) {
      submit("a");
      Pod pod =
          new Pod(
              redis,
              new PodName("pod", "eu"),
              1,
              Capacity.COUNT_ONLY,
              patient,
              run -> new Outcome.TryAgain("busy"));
      open.add(pod);
      List<Move> _ = carried.await(moves -> moves.stream().anyMatch(m -> m.tries() == 1), LONG);
      Task before = tasks.find("a").orElseThrow();
      rebuilt.drain();
      server.flush();
      int _ = rebuilt.await(LONG);
      Task after = tasks.find("a").orElseThrow();
      assertThat(after.state()).isEqualTo(TaskState.PENDING);
      assertThat(Duration.between(before.pendingAt(), after.pendingAt()).abs())
          .isLessThan(Duration.ofSeconds(1));
      assertThat(after.retryCount()).isEqualTo(before.retryCount()).isEqualTo(1);
      assertThat(ledger.open(List.of("a"))).extracting(OpenTask::tries).containsExactly(1);
      assertThat(dispatch.stop("a").task().orElseThrow().state()).isEqualTo(TaskState.FAILED);
    }
  }

  @Test
  void whatTheLedgerKnowsToHaveEndedIsNotRevived() {
    Tender tender = tend();
    try (Observation<List<Move>> carried = tender.carried().observe();
        Observation<Integer> rebuilt = tender.rebuilt().observe()) {
      submit("done");
      pod(run -> new Outcome.Done());
      awaitEnd(carried, "done");
      server.flush();
      submit("next");
      assertThat(rebuilt.await(LONG)).isLessThanOrEqualTo(1);
      awaitEnd(carried, "next");
    }
    assertThat(tasks.find("done")).isEmpty();
    assertThat(dispatch.find("done").orElseThrow().state()).isEqualTo(TaskState.SUCCESS);
    assertThat(dispatch.submit(Kit.task("done", "eu", "room")))
        .isInstanceOfSatisfying(
            Enqueued.Known.class,
            known -> assertThat(known.task().state()).isEqualTo(TaskState.SUCCESS));
  }

  @Test
  void withRedisAwayATaskIsAcceptedAndRunsWhenItIsBack() {
    server.kill();
    assertThat(dispatch.submit(Kit.task("a", "eu", "room"))).isInstanceOf(Enqueued.Created.class);
    assertThat(dispatch.submit(Kit.task("b", "eu", "room"))).isInstanceOf(Enqueued.Created.class);
    assertThat(dispatch.stop("b").word()).isEqualTo(Word.APPLIED);
    assertThat(dispatch.find("a").orElseThrow().state()).isEqualTo(TaskState.PENDING);
    Tender tender = tend();
    try (Observation<List<Move>> carried = tender.carried().observe()) {
      server.restart();
      pod(run -> new Outcome.Done());
      awaitEnd(carried, "a");
    }
    assertThat(dispatch.find("b").orElseThrow().podId()).isEmpty();
    assertThat(dispatch.find("b").orElseThrow().state()).isEqualTo(TaskState.FAILED);
  }

  /** A server that died between its commit and Redis: another one finds the row. */
  @Test
  void whatNobodyTookToRedisIsFound() {
    assertThat(ledger.accept(Kit.task("a", "eu", "room"))).isEqualTo(new Ledger.Accepted.New());
    assertThat(ledger.unheard(10)).isEmpty();
    database.run(
        tx -> {
          int _ = tx.sql("update tasks set created_at = now() - interval '3 seconds'").update();
        });
    assertThat(ledger.unheard(10)).extracting(OpenTask::id).containsExactly("a");
    Tender tender = tend();
    try (Observation<List<Move>> carried = tender.carried().observe()) {
      pod(run -> new Outcome.Done());
      awaitEnd(carried, "a");
    }
    assertThat(ledger.unheard(10)).isEmpty();
  }

  @Test
  void aRequestIsAcceptedOnceAndAChannelIsHeldByOneWhoAsksForThat() {
    List<CompletableFuture<Ledger.Accepted>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      answers.add(
          CompletableFuture.supplyAsync(
              () -> ledger.accept(Kit.unique("u", "alpha")), Thread::startVirtualThread));
    }
    assertThat(answers.stream().map(CompletableFuture::join))
        .haveExactly(
            1, new org.assertj.core.api.Condition<>(new Ledger.Accepted.New()::equals, "new"))
        .allMatch(
            answer ->
                answer.equals(new Ledger.Accepted.New())
                    || answer.equals(new Ledger.Accepted.Known("u")));
    assertThat(ledger.accept(Kit.unique("v", "alpha")))
        .isEqualTo(new Ledger.Accepted.ChannelBusy("u"));
    assertThat(ledger.accept(Kit.task("w", "eu", "alpha"))).isEqualTo(new Ledger.Accepted.New());
    NewTask u = Kit.task("u", "eu", "beta");
    assertThat(
            ledger.accept(
                new NewTask(
                    "u",
                    "other",
                    u.type(),
                    u.action(),
                    "beta",
                    u.region(),
                    u.payload(),
                    false,
                    Optional.empty())))
        .isEqualTo(new Ledger.Accepted.IdTaken());
  }

  /** Two customers may count their requests alike, and meet in rooms of the same name. */
  @Test
  void requestsAndChannelsAreTheirOwnersOwnInTheLedgerAndInRedis() {
    NewTask anns = of("a", 7, "req-1", "alpha");
    NewTask bobs = of("b", 8, "req-1", "alpha");
    for (Dispatch each : List.of(dispatch, own(new Dispatch(tasks, Ledger.NONE)))) {
      assertThat(each.submit(anns)).isInstanceOf(Enqueued.Created.class);
      assertThat(each.submit(bobs)).isInstanceOf(Enqueued.Created.class);
      assertThat(each.submit(of("c", 7, "req-1", "alpha")))
          .isInstanceOfSatisfying(
              Enqueued.Known.class,
              known -> {
                assertThat(known.task().id()).isEqualTo("a");
                assertThat(known.task().userId()).contains(7L);
                assertThat(known.task().channel()).isEqualTo("alpha");
              });
      assertThat(each.submit(of("c", 7, "req-2", "alpha")))
          .isEqualTo(new Enqueued.ChannelBusy("a"));
      assertThat(each.submit(of("c", 8, "req-1", "alpha")))
          .isInstanceOfSatisfying(
              Enqueued.Known.class, known -> assertThat(known.task().id()).isEqualTo("b"));
      assertThat(each.submit(of("c", 8, "req-2", "alpha")))
          .isEqualTo(new Enqueued.ChannelBusy("b"));
      assertThat(each.submit(of("b", 7, "req-3", "beta"))).isEqualTo(new Enqueued.IdTaken());
      // The next round is without a ledger, on an empty Redis.
      server.flush();
    }
  }

  @Test
  void whatWasAskedForIsInRedisAsItIsInTheLedger() {
    assertThat(dispatch.submit(of("a", 7, "req-1", "alpha"))).isInstanceOf(Enqueued.Created.class);
    assertThat(tasks.find("a").orElseThrow().spec())
        .isEqualTo(ledger.find("a").orElseThrow().spec());
  }

  /** The ledger was emptied, or is another one; Redis still has what it was asked for. */
  @Test
  void whatRedisRemembersAndTheLedgerDoesNotIsNotRunTwice() {
    assertThat(tasks.enqueue(of("a", 7, "req-1", "alpha"))).isInstanceOf(Enqueued.Created.class);
    assertThat(dispatch.submit(of("b", 7, "req-1", "alpha")))
        .isInstanceOfSatisfying(
            Enqueued.Known.class, known -> assertThat(known.task().id()).isEqualTo("a"));
    assertThat(dispatch.submit(of("a", 7, "req-2", "beta"))).isEqualTo(new Enqueued.IdTaken());
    assertThat(ledger.open("", 10)).isEmpty();
  }

  @Test
  void ofManyWhoWantOneIdAtOnceOneHasIt() {
    List<CompletableFuture<Ledger.Accepted>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      NewTask task = of("same", i + 1, "req-" + (50 - i), "room-" + i);
      answers.add(
          CompletableFuture.supplyAsync(() -> ledger.accept(task), Thread::startVirtualThread));
    }
    List<Ledger.Accepted> told = answers.stream().map(CompletableFuture::join).toList();
    assertThat(told).filteredOn(new Ledger.Accepted.New()::equals).hasSize(1);
    assertThat(told).filteredOn(new Ledger.Accepted.IdTaken()::equals).hasSize(49);
    assertThat(ledger.find("same").orElseThrow().userId())
        .contains(told.indexOf(new Ledger.Accepted.New()) + 1L);
  }

  @Test
  void aRebuiltTaskIsStillItsOwners() {
    assertThat(dispatch.submit(of("a", 7, "req-1", "alpha"))).isInstanceOf(Enqueued.Created.class);
    server.flush();
    Tender tender = tend();
    try (Observation<Integer> rebuilt = tender.rebuilt().observe()) {
      if (tasks.find("a").isEmpty()) {
        assertThat(rebuilt.await(LONG)).isEqualTo(1);
      }
    }
    assertThat(tasks.find("a").orElseThrow().userId()).contains(7L);
    assertThat(tasks.enqueue(of("b", 7, "req-1", "alpha")))
        .isInstanceOfSatisfying(
            Enqueued.Known.class, known -> assertThat(known.task().id()).isEqualTo("a"));
    assertThat(tasks.enqueue(of("b", 8, "req-1", "alpha"))).isInstanceOf(Enqueued.Created.class);
  }

  private <T extends AutoCloseable> T own(T part) {
    open.add(part);
    return part;
  }

  private static NewTask of(String id, long user, String request, String channel) {
    NewTask task = Kit.task(id, "eu", channel);
    return new NewTask(
        id,
        request,
        task.type(),
        task.action(),
        channel,
        task.region(),
        task.payload(),
        true,
        Optional.of(user));
  }

  @Test
  void listsAreNewestFirstAndPageByPage() {
    for (int i = 0; i < 5; i++) {
      submit("t" + i);
    }
    assertThat(dispatch.submit(of("anns", 7, "req", "other"))).isInstanceOf(Enqueued.Created.class);
    TaskLists lists = new TaskLists(database);
    TaskLists.Filter all =
        new TaskLists.Filter(
            Optional.empty(),
            Optional.of(TaskState.PENDING),
            Optional.of("eu"),
            Optional.of("room"),
            Optional.empty(),
            3);
    List<Task> first = lists.list(all);
    assertThat(first).extracting(Task::id).containsExactly("t4", "t3", "t2");
    Task last = first.getLast();
    assertThat(
            lists.list(
                new TaskLists.Filter(
                    all.userId(),
                    all.state(),
                    all.region(),
                    all.channel(),
                    Optional.of(new TaskLists.Below(last.createdAt(), last.id())),
                    3)))
        .extracting(Task::id)
        .containsExactly("t1", "t0");
    assertThat(lists.list(only(Optional.of(7L), Optional.empty())))
        .extracting(Task::id)
        .containsExactly("anns");
    assertThat(lists.list(only(Optional.empty(), Optional.of(Place.GLOBAL)))).isEmpty();
  }

  private static TaskLists.Filter only(Optional<Long> user, Optional<String> region) {
    return new TaskLists.Filter(
        user, Optional.empty(), region, Optional.empty(), Optional.empty(), 10);
  }

  private void note(List<Told> moves) {
    moves.forEach(
        told ->
            journal.add(
                told.move().id() + " " + told.move().state() + " " + told.move().attempt()));
  }

  private void submit(String id) {
    assertThat(dispatch.submit(Kit.task(id, "eu", "room"))).isInstanceOf(Enqueued.Created.class);
  }

  private Tender tend() {
    Tender tender = new Tender(tasks, ledger, TERMS);
    open.add(tender);
    return tender;
  }

  private Pod pod(Handler handler) {
    Pod pod =
        new Pod(
            redis, new PodName("pod-" + open.size(), "eu"), 1, Capacity.COUNT_ONLY, TERMS, handler);
    open.add(pod);
    return pod;
  }

  private static void awaitEnd(Observation<List<Move>> carried, String id) {
    List<Move> _ = carried.await(moves -> has(moves, id, TaskState.SUCCESS), LONG);
  }

  static boolean has(List<Move> moves, String id, TaskState state) {
    return moves.stream().anyMatch(move -> move.id().equals(id) && move.state() == state);
  }

  static String ddl() {
    try (InputStream file = PostgresLedger.class.getResourceAsStream("ledger.sql")) {
      if (file == null) {
        throw new AssertionError("no ledger.sql");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
