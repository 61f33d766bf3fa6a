package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Dispatch on Redis and Postgres: a 202 means that the task survives FLUSHALL. */
class DispatchServiceTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchConfig CONFIG =
      DispatchConfig.of(Duration.ofSeconds(30), Duration.ofSeconds(3), 3, Duration.ofSeconds(10));

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
          4,
          "dispatch",
          List.of("public"));
  private final List<String> journal = java.util.Collections.synchronizedList(new ArrayList<>());
  private final PostgresTaskStore ledger =
      new PostgresTaskStore(database, (tx, moves) -> note(moves));
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final DispatchService dispatchService = new DispatchService(taskQueue, ledger);
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
    dispatchService.close();
    redis.close();
    server.close();
    database.close();
  }

  @Test
  void everyMoveIsWrittenOnceWithItsJournalRowAndTheRowEndsAsTheTaskDid() {
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      submit("a");
      pod(run -> new AttemptOutcome.AttemptDone());
      awaitEnd(relayed, "a");
    }
    assertThat(journal).containsExactly("a PENDING 0", "a PROCESSING 1", "a SUCCESS 1");
    Task row = ledger.find("a").orElseThrow();
    assertThat(row.state()).isEqualTo(TaskState.SUCCESS);
    assertThat(row.completedAt()).isPresent();
    assertThat(row.podId()).contains("pod-1");
    assertThat(ledger.open("", 10)).isEmpty();
  }

  /** Postgres cannot store U+0000; the exception of an invalid path quotes it. */
  @Test
  void aReasonWithNulDelaysTheEndOfNoTask() {
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      pod(
          run -> {
            if (run.task().id().equals("bad")) {
              throw new IllegalArgumentException("a\0b");
            }
            return new AttemptOutcome.AttemptDone();
          });
      submit("bad");
      List<TaskTransition> _ = relayed.await(moves -> has(moves, "bad", TaskState.FAILED), LONG);
      submit("next");
      awaitEnd(relayed, "next");
    }
    assertThat(ledger.find("bad").orElseThrow().error())
        .isEqualTo("java.lang.IllegalArgumentException: a\uFFFDb");
  }

  @Test
  void aTransitionThatPostgresRefusesIsSetAsideAndDelaysNoOther() {
    PostgresTaskStore choosy =
        new PostgresTaskStore(
            database,
            (tx, moves) -> {
              if (moves.stream().anyMatch(each -> each.move().id().equals("bad"))) {
                int _ = tx.sql("select 1 / 0 as data").one(resultRow -> resultRow.intAt("data"));
              }
            });
    DispatchMaintainer dispatchMaintainer = own(new DispatchMaintainer(taskQueue, choosy, CONFIG));
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      submit("bad");
      submit("good");
      pod(run -> new AttemptOutcome.AttemptDone());
      awaitEnd(relayed, "good");
    }
    assertThat(ledger.find("good").orElseThrow().state()).isEqualTo(TaskState.SUCCESS);
    assertThat(ledger.find("bad").orElseThrow().state()).isEqualTo(TaskState.PENDING);
    assertThat(redis.<Long>call(commands -> commands.xlen(KeySpace.ONE.refused()))).isPositive();
  }

  /** Pending and running tasks end although Redis lost both. */
  @Test
  void whatWasAcceptedEndsAlthoughRedisForgetsEverything() {
    DispatchMaintainer dispatchMaintainer = runTicks();
    CountDownLatch gate = new CountDownLatch(1);
    AtomicBoolean first = new AtomicBoolean(true);
    Pod pod =
        pod(
            run -> {
              if (first.getAndSet(false)) {
                gate.await();
              }
              return new AttemptOutcome.AttemptDone();
            });
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
        SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe();
        SignalObservation<Integer> renewed = pod.renewed().observe()) {
      submit("running");
      List<TaskTransition> _ =
          relayed.await(moves -> has(moves, "running", TaskState.PROCESSING), LONG);
      submit("waiting");
      List<TaskTransition> _ =
          relayed.await(moves -> has(moves, "waiting", TaskState.PENDING), LONG);
      rebuilt.drain();
      server.flush();
      assertThat(rebuilt.await(LONG)).isEqualTo(2);
      renewed.drain();
      int _ = renewed.await(LONG);
      gate.countDown();
      List<String> ended = new ArrayList<>();
      while (ended.size() < 2) {
        relayed.await(LONG).stream()
            .filter(taskTransition -> taskTransition.state() == TaskState.SUCCESS)
            .forEach(taskTransition -> ended.add(taskTransition.id()));
      }
      assertThat(ended).containsExactlyInAnyOrder("running", "waiting");
    }
    assertThat(dispatchService.find("running").orElseThrow().attempt()).isEqualTo(1);
    assertThat(dispatchService.find("waiting").orElseThrow().attempt()).isGreaterThan(1);
  }

  @Test
  void aTaskThatWaitsForItsNextTryKeepsItsDueTimeAlthoughRedisForgetsEverything() {
    DispatchConfig patient =
        CONFIG.with(new RetryBackoff(Duration.ofMinutes(1), Duration.ofMinutes(2)));
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
        SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe()) {
      submit("a");
      Pod pod =
          new Pod(
              redis,
              new PodId("pod", "eu"),
              1,
              PodCapacity.COUNT_ONLY,
              patient,
              run -> new AttemptOutcome.AttemptRetry("busy"));
      open.add(pod);
      List<TaskTransition> _ =
          relayed.await(moves -> moves.stream().anyMatch(m -> m.tries() == 1), LONG);
      Task before = taskQueue.find("a").orElseThrow();
      rebuilt.drain();
      server.flush();
      int _ = rebuilt.await(LONG);
      Task after = taskQueue.find("a").orElseThrow();
      assertThat(after.state()).isEqualTo(TaskState.PENDING);
      assertThat(Duration.between(before.pendingAt(), after.pendingAt()).abs())
          .isLessThan(Duration.ofSeconds(1));
      assertThat(after.retryCount()).isEqualTo(before.retryCount()).isEqualTo(1);
      assertThat(ledger.open(List.of("a"))).extracting(OpenTask::tries).containsExactly(1);
      assertThat(dispatchService.stop("a").task().orElseThrow().state())
          .isEqualTo(TaskState.FAILED);
    }
  }

  @Test
  void aTaskThatEndedInTheDatabaseIsNotRevived() {
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe();
        SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe()) {
      submit("done");
      pod(run -> new AttemptOutcome.AttemptDone());
      awaitEnd(relayed, "done");
      server.flush();
      submit("next");
      assertThat(rebuilt.await(LONG)).isLessThanOrEqualTo(1);
      awaitEnd(relayed, "next");
    }
    assertThat(taskQueue.find("done")).isEmpty();
    assertThat(dispatchService.find("done").orElseThrow().state()).isEqualTo(TaskState.SUCCESS);
    assertThat(dispatchService.submit(DispatchTestKit.task("done", "eu", "room")))
        .isInstanceOfSatisfying(
            EnqueueResult.AlreadyEnqueued.class,
            alreadyEnqueued ->
                assertThat(alreadyEnqueued.task().state()).isEqualTo(TaskState.SUCCESS));
  }

  @Test
  void withRedisAwayATaskIsAcceptedAndRunsWhenItIsBack() {
    server.kill();
    assertThat(dispatchService.submit(DispatchTestKit.task("a", "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(dispatchService.submit(DispatchTestKit.task("b", "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(dispatchService.stop("b").result()).isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchService.find("a").orElseThrow().state()).isEqualTo(TaskState.PENDING);
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      server.restart();
      pod(run -> new AttemptOutcome.AttemptDone());
      awaitEnd(relayed, "a");
    }
    assertThat(dispatchService.find("b").orElseThrow().podId()).isEmpty();
    assertThat(dispatchService.find("b").orElseThrow().state()).isEqualTo(TaskState.FAILED);
  }

  /** A server died between its commit and Redis: another one delivers the task. */
  @Tag("nightly")
  @Test
  void anUndeliveredTaskIsFound() {
    assertThat(ledger.accept(DispatchTestKit.task("a", "eu", "room")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.TaskInserted());
    assertThat(ledger.undelivered(10)).isEmpty();
    database.run(
        tx -> {
          int _ = tx.sql("update tasks set created_at = now() - interval '3 seconds'").update();
        });
    assertThat(ledger.undelivered(10)).extracting(OpenTask::id).containsExactly("a");
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      pod(run -> new AttemptOutcome.AttemptDone());
      awaitEnd(relayed, "a");
    }
    assertThat(ledger.undelivered(10)).isEmpty();
  }

  /** On a cluster, the others may be deliverable. */
  @Test
  void whatIsNotDeliveredIsTriedAgainAfterTheOthers() throws Exception {
    int count = 700;
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(count);
    Set<String> tried = ConcurrentHashMap.newKeySet();
    DurableTaskStore store =
        new NoopTaskStore() {
          @Override
          public boolean isDurable() {
            return true;
          }

          @Override
          public boolean requestStop(String id) {
            return true;
          }

          @Override
          public List<OpenTask> open(List<String> ids) {
            try {
              stopped.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            ids.stream().filter(tried::add).forEach(_ -> left.countDown());
            return List.of();
          }
        };
    server.kill();
    try (DispatchService service = new DispatchService(taskQueue, store)) {
      for (int i = 0; i < count; i++) {
        StopResult _ = service.stop("t" + i);
      }
      stopped.countDown();
      assertThat(left.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aRequestIsAcceptedOnceAndAChannelIsHeldByOneWhoAsksForThat() {
    List<CompletableFuture<DurableTaskStore.TaskInsertResult>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      answers.add(
          CompletableFuture.supplyAsync(
              () -> ledger.accept(DispatchTestKit.unique("u", "alpha")),
              Thread::startVirtualThread));
    }
    assertThat(answers.stream().map(CompletableFuture::join))
        .haveExactly(
            1,
            new org.assertj.core.api.Condition<>(
                new DurableTaskStore.TaskInsertResult.TaskInserted()::equals, "new"))
        .allMatch(
            answer ->
                answer.equals(new DurableTaskStore.TaskInsertResult.TaskInserted())
                    || answer.equals(new DurableTaskStore.TaskInsertResult.AlreadyInserted("u")));
    assertThat(ledger.accept(DispatchTestKit.unique("v", "alpha")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.InsertChannelBusy("u"));
    assertThat(ledger.accept(DispatchTestKit.task("w", "eu", "alpha")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.TaskInserted());
    NewTask u = DispatchTestKit.task("u", "eu", "beta");
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
        .isEqualTo(new DurableTaskStore.TaskInsertResult.InsertIdTaken());
  }

  /** Two owners may use the same request ids and channels. */
  @Test
  void requestsAndChannelsAreScopedToTheirOwnerInPostgresAndRedis() {
    NewTask anns = of("a", 7, "req-1", "alpha");
    NewTask bobs = of("b", 8, "req-1", "alpha");
    for (DispatchService each :
        List.of(dispatchService, own(new DispatchService(taskQueue, DurableTaskStore.NONE)))) {
      assertThat(each.submit(anns)).isInstanceOf(EnqueueResult.Created.class);
      assertThat(each.submit(bobs)).isInstanceOf(EnqueueResult.Created.class);
      assertThat(each.submit(of("c", 7, "req-1", "alpha")))
          .isInstanceOfSatisfying(
              EnqueueResult.AlreadyEnqueued.class,
              alreadyEnqueued -> {
                assertThat(alreadyEnqueued.task().id()).isEqualTo("a");
                assertThat(alreadyEnqueued.task().userId()).contains(7L);
                assertThat(alreadyEnqueued.task().channel()).isEqualTo("alpha");
              });
      assertThat(each.submit(of("c", 7, "req-2", "alpha")))
          .isEqualTo(new EnqueueResult.ChannelBusy("a"));
      assertThat(each.submit(of("c", 8, "req-1", "alpha")))
          .isInstanceOfSatisfying(
              EnqueueResult.AlreadyEnqueued.class,
              alreadyEnqueued -> assertThat(alreadyEnqueued.task().id()).isEqualTo("b"));
      assertThat(each.submit(of("c", 8, "req-2", "alpha")))
          .isEqualTo(new EnqueueResult.ChannelBusy("b"));
      assertThat(each.submit(of("b", 7, "req-3", "beta"))).isEqualTo(new EnqueueResult.IdTaken());
      // The next round uses no durable store and an empty Redis.
      server.flush();
    }
  }

  @Test
  void theSpecInRedisEqualsTheOneInPostgres() {
    assertThat(dispatchService.submit(of("a", 7, "req-1", "alpha")))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(taskQueue.find("a").orElseThrow().spec())
        .isEqualTo(ledger.find("a").orElseThrow().spec());
  }

  /** The database was emptied or replaced; Redis still has the request. */
  @Test
  void aTaskThatOnlyRedisKnowsIsNotRunTwice() {
    assertThat(taskQueue.enqueue(of("a", 7, "req-1", "alpha")))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(dispatchService.submit(of("b", 7, "req-1", "alpha")))
        .isInstanceOfSatisfying(
            EnqueueResult.AlreadyEnqueued.class,
            alreadyEnqueued -> assertThat(alreadyEnqueued.task().id()).isEqualTo("a"));
    assertThat(dispatchService.submit(of("a", 7, "req-2", "beta")))
        .isEqualTo(new EnqueueResult.IdTaken());
    assertThat(ledger.open("", 10)).isEmpty();
  }

  @Test
  void ofManyWhoWantOneIdAtOnceOneHasIt() {
    List<CompletableFuture<DurableTaskStore.TaskInsertResult>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      NewTask task = of("same", i + 1, "req-" + (50 - i), "room-" + i);
      answers.add(
          CompletableFuture.supplyAsync(() -> ledger.accept(task), Thread::startVirtualThread));
    }
    List<DurableTaskStore.TaskInsertResult> told =
        answers.stream().map(CompletableFuture::join).toList();
    assertThat(told)
        .filteredOn(new DurableTaskStore.TaskInsertResult.TaskInserted()::equals)
        .hasSize(1);
    assertThat(told)
        .filteredOn(new DurableTaskStore.TaskInsertResult.InsertIdTaken()::equals)
        .hasSize(49);
    assertThat(ledger.find("same").orElseThrow().userId())
        .contains(told.indexOf(new DurableTaskStore.TaskInsertResult.TaskInserted()) + 1L);
  }

  @Test
  void aRebuiltTaskIsStillItsOwners() {
    assertThat(dispatchService.submit(of("a", 7, "req-1", "alpha")))
        .isInstanceOf(EnqueueResult.Created.class);
    server.flush();
    DispatchMaintainer dispatchMaintainer = runTicks();
    try (SignalObservation<Integer> rebuilt = dispatchMaintainer.rebuilt().observe()) {
      if (taskQueue.find("a").isEmpty()) {
        assertThat(rebuilt.await(LONG)).isEqualTo(1);
      }
    }
    assertThat(taskQueue.find("a").orElseThrow().userId()).contains(7L);
    assertThat(taskQueue.enqueue(of("b", 7, "req-1", "alpha")))
        .isInstanceOfSatisfying(
            EnqueueResult.AlreadyEnqueued.class,
            alreadyEnqueued -> assertThat(alreadyEnqueued.task().id()).isEqualTo("a"));
    assertThat(taskQueue.enqueue(of("b", 8, "req-1", "alpha")))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  private <T extends AutoCloseable> T own(T part) {
    open.add(part);
    return part;
  }

  private static NewTask of(String id, long user, String request, String channel) {
    NewTask task = DispatchTestKit.task(id, "eu", channel);
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
    assertThat(dispatchService.submit(of("anns", 7, "req", "other")))
        .isInstanceOf(EnqueueResult.Created.class);
    TaskListQueries lists = new TaskListQueries(database);
    TaskListQueries.TaskFilter all =
        new TaskListQueries.TaskFilter(
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
                new TaskListQueries.TaskFilter(
                    all.userId(),
                    all.state(),
                    all.region(),
                    all.channel(),
                    Optional.of(new TaskListQueries.TaskPosition(last.createdAt(), last.id())),
                    3)))
        .extracting(Task::id)
        .containsExactly("t1", "t0");
    assertThat(lists.list(only(Optional.of(7L), Optional.empty())))
        .extracting(Task::id)
        .containsExactly("anns");
    assertThat(lists.list(only(Optional.empty(), Optional.of(KeySpace.GLOBAL)))).isEmpty();
  }

  private static TaskListQueries.TaskFilter only(Optional<Long> user, Optional<String> region) {
    return new TaskListQueries.TaskFilter(
        user, Optional.empty(), region, Optional.empty(), Optional.empty(), 10);
  }

  private void note(List<RecordedTransition> moves) {
    moves.forEach(
        recordedTransition ->
            journal.add(
                recordedTransition.move().id()
                    + " "
                    + recordedTransition.move().state()
                    + " "
                    + recordedTransition.move().attempt()));
  }

  private void submit(String id) {
    assertThat(dispatchService.submit(DispatchTestKit.task(id, "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  private DispatchMaintainer runTicks() {
    DispatchMaintainer dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, CONFIG);
    open.add(dispatchMaintainer);
    return dispatchMaintainer;
  }

  private Pod pod(AttemptHandler attemptHandler) {
    Pod pod =
        new Pod(
            redis,
            new PodId("pod-" + open.size(), "eu"),
            1,
            PodCapacity.COUNT_ONLY,
            CONFIG,
            attemptHandler);
    open.add(pod);
    return pod;
  }

  private static void awaitEnd(SignalObservation<List<TaskTransition>> relayed, String id) {
    List<TaskTransition> _ = relayed.await(moves -> has(moves, id, TaskState.SUCCESS), LONG);
  }

  static boolean has(List<TaskTransition> moves, String id, TaskState state) {
    return moves.stream()
        .anyMatch(
            taskTransition -> taskTransition.id().equals(id) && taskTransition.state() == state);
  }

  static String ddl() {
    try (InputStream file = PostgresTaskStore.class.getResourceAsStream("tasks.sql")) {
      if (file == null) {
        throw new AssertionError("no tasks.sql");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
