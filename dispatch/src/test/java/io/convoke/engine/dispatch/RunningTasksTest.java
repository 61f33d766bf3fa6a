package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Running tasks while their pod dies, or while Redis is unreachable or loses everything: until a
 * lease ends no other pod starts the task.
 */
@Tag("split")
class RunningTasksTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration LEASE = Duration.ofSeconds(4);
  private static final DispatchConfig SEED = DispatchConfig.seed();
  private static final DispatchConfig SHORT =
      DispatchConfig.of(Duration.ofSeconds(30), LEASE, 3, Duration.ofSeconds(10));

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
          4,
          "dispatch",
          List.of("public"));
  private final PostgresTaskStore ledger = new PostgresTaskStore(database, (tx, moves) -> {});
  private final TestSignal<TaskAttempt> begun = new TestSignal<>();
  private final SignalObservation<TaskAttempt> runs = begun.observe();
  private final CompletableFuture<Boolean> finish = new CompletableFuture<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private TaskQueue taskQueue = new TaskQueue(redis, SEED);
  private int pods;

  /** The kinds of outages of Redis. */
  enum Away {
    /** Redis pauses and resumes as the same process. */
    PAUSED,
    /** Redis restarts and loads all its writes. */
    STARTED_AGAIN
  }

  @BeforeEach
  void table() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchServiceTest.ddl()).update();
        });
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    redis.close();
    server.close();
    database.close();
  }

  @Tag("nightly")
  @ParameterizedTest
  @EnumSource
  void redisIsAwayForFiveSecondsAndEachTaskIsBegunOnce(Away how) {
    Pod first = runThree(SEED);
    try (SignalObservation<Integer> renewed = first.renewed().observe()) {
      awayForFiveSeconds(how);
      assertThat(renewed.await(LONG)).isEqualTo(3);
    }
    noneBeginsWithin(Duration.ofSeconds(5));
    allEndInTheirFirstAttempt(first);
  }

  @Tag("nightly")
  @Test
  void redisForgetsEverythingAndThePodKeepsWhatItReports() {
    Pod first = runThree(SEED);
    String pod = first.name().id();
    try (SignalObservation<Integer> renewed = first.renewed().observe()) {
      server.flush();
      assertThat(renewed.await(count -> count == 3, LONG)).isEqualTo(3);
    }
    noneBeginsWithin(Duration.ofSeconds(3));
    for (String id : List.of("a", "b", "c")) {
      Task task = taskQueue.find(id).orElseThrow();
      assertThat(task.state()).isEqualTo(TaskState.PROCESSING);
      assertThat(task.podId()).contains(pod);
      assertThat(task.attempt()).isEqualTo(1);
    }
    allEndInTheirFirstAttempt(first);
  }

  /** The pod receives a stop request although Redis lost its lease. */
  @Test
  void redisForgetsEverythingAndAStopStillReachesWhatRuns() {
    Pod first = runThree(SEED);
    server.flush();
    try (SignalObservation<Task> ended = first.ended().observe()) {
      DispatchService dispatchService = own(new DispatchService(taskQueue, ledger));
      assertThat(dispatchService.stop("b").result()).isEqualTo(TransitionResult.APPLIED);
      assertThat(ended.await(LONG).id()).isEqualTo("b");
    }
    assertThat(taskQueue.find("b").orElseThrow().state()).isEqualTo(TaskState.SUCCESS);
    assertThat(taskQueue.find("b").orElseThrow().attempt()).isEqualTo(1);
  }

  @Tag("nightly")
  @Test
  void redisForgetsEverythingAndWhatADeadPodRanIsBegunAgainWhenItsLeaseWouldHaveEnded() {
    Pod first = runThree(SHORT);
    first.crash();
    long forgot = System.nanoTime();
    server.flush();
    TaskAttempt again = runs.await(LONG);
    assertThat(again.task().attempt()).isEqualTo(2);
    assertThat(Duration.ofNanos(System.nanoTime() - forgot)).isGreaterThanOrEqualTo(LEASE);
  }

  @Test
  void whatADeadPodRanIsBegunAgainWhenItsLeaseEnds() {
    Pod first = runThree(SHORT);
    long last;
    try (SignalObservation<Integer> renewed = first.renewed().observe()) {
      int _ = renewed.await(LONG);
      last = System.nanoTime();
    }
    first.crash();
    TaskAttempt again = runs.await(LONG);
    assertThat(again.task().attempt()).isEqualTo(2);
    assertThat(Duration.ofNanos(System.nanoTime() - last))
        .isBetween(LEASE.minusMillis(500), LEASE.plusSeconds(2));
  }

  @Tag("nightly")
  @Test
  void whatADeadPodRanIsBegunAgainAfterSoLongASilenceAsTheSettingSays() {
    Pod first = runThree(SEED.deadAfter(Optional.of(Duration.ofSeconds(3))));
    long died = System.nanoTime();
    first.crash();
    assertThat(runs.await(LONG).task().attempt()).isEqualTo(2);
    assertThat(Duration.ofNanos(System.nanoTime() - died))
        .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(8));
  }

  /** The pods' silence does not count. */
  @ParameterizedTest
  @EnumSource
  @Tag("nightly")
  void redisIsAwayForLongerThanAPodMayBeSilentAndEachTaskIsBegunOnce(Away how) {
    Pod first = runThree(SEED.deadAfter(Optional.of(Duration.ofSeconds(3))));
    awayForFiveSeconds(how);
    noneBeginsWithin(Duration.ofSeconds(5));
    allEndInTheirFirstAttempt(first);
  }

  @Test
  void whatAPodHandsBackAtItsEndIsBegunElsewhereAtOnce() {
    Pod first = runThree(SEED);
    long told = System.nanoTime();
    assertThat(first.drain(Duration.ZERO)).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(runs.await(LONG).task().attempt()).isEqualTo(2);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - told)).isLessThan(Duration.ofSeconds(3));
  }

  /** Three tasks run in one pod according to the database; another pod waits for them. */
  private Pod runThree(DispatchConfig config) {
    taskQueue = new TaskQueue(redis, config);
    DispatchMaintainer dispatchMaintainer = own(new DispatchMaintainer(taskQueue, ledger, config));
    DispatchService dispatchService = own(new DispatchService(taskQueue, ledger));
    Pod first = pod(config);
    List<String> known = new ArrayList<>();
    try (SignalObservation<List<TaskTransition>> relayed = dispatchMaintainer.relayed().observe()) {
      for (String id : List.of("a", "b", "c")) {
        assertThat(dispatchService.submit(DispatchTestKit.task(id, "eu", "room-" + id)))
            .isInstanceOf(EnqueueResult.Created.class);
        assertThat(runs.await(LONG).task().attempt()).isEqualTo(1);
      }
      while (known.size() < 3) {
        relayed.await(LONG).stream()
            .filter(taskTransition -> taskTransition.state() == TaskState.PROCESSING)
            .forEach(taskTransition -> known.add(taskTransition.id()));
      }
    }
    Pod _ = pod(config);
    return first;
  }

  private void awayForFiveSeconds(Away how) {
    Duration away = Duration.ofSeconds(5);
    switch (how) {
      case PAUSED -> {
        server.pause(true);
        noneBeginsWithin(away);
        server.pause(false);
      }
      case STARTED_AGAIN -> {
        server.stop();
        noneBeginsWithin(away);
        server.restart();
      }
    }
  }

  private void noneBeginsWithin(Duration span) {
    try {
      assertThat(new CountDownLatch(1).await(span.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(runs.drain()).extracting(run -> run.task().id()).as("begun once more").isEmpty();
  }

  private void allEndInTheirFirstAttempt(Pod pod) {
    List<String> ids = new ArrayList<>();
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      assertThat(finish.complete(true)).isTrue();
      for (int i = 0; i < 3; i++) {
        ids.add(ended.await(LONG).id());
      }
    }
    assertThat(ids).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(taskQueue.find(ids)).allSatisfy(this::succeededInItsFirstAttempt);
  }

  private void succeededInItsFirstAttempt(Optional<Task> task) {
    assertThat(task.orElseThrow().state()).isEqualTo(TaskState.SUCCESS);
    assertThat(task.orElseThrow().attempt()).isEqualTo(1);
  }

  private Pod pod(DispatchConfig config) {
    pods++;
    Redis its = own(Redis.open(server.url()));
    return own(
        new Pod(
            its,
            new PodId("pod-" + pods, "eu"),
            3,
            PodCapacity.COUNT_ONLY,
            config,
            run -> {
              begun.emit(run);
              CompletableFuture<Boolean> stop = new CompletableFuture<>();
              run.onStop(() -> stop.complete(true));
              Object _ = CompletableFuture.anyOf(stop, finish).get();
              return new AttemptOutcome.AttemptDone();
            }));
  }

  private <T extends AutoCloseable> T own(T part) {
    open.add(part);
    return part;
  }
}
