package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Running pods with a maintainer and their own Redis. */
class PodTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** The default settings with shorter times. */
  private static final DispatchConfig CONFIG =
      DispatchConfig.of(Duration.ofSeconds(30), Duration.ofSeconds(3), 3, Duration.ofSeconds(10))
          .with(new RetryBackoff(Duration.ofMillis(300), Duration.ofSeconds(1)));

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final TestSignal<TaskAttempt> begun = new TestSignal<>();
  private final SignalObservation<TaskAttempt> runs = begun.observe();
  private final List<AutoCloseable> open = new ArrayList<>();
  private int pods;

  @BeforeEach
  void becomeWhole() {
    DispatchTestKit.becomeWhole(redis, KeySpace.ONE);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    redis.close();
    server.close();
  }

  @Test
  void aTaskIsRunInASlotAndEnds() {
    Pod pod = pod(2, run -> new AttemptOutcome.AttemptDone());
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      Task task = ended.await(LONG);
      assertThat(task.id()).isEqualTo("a");
      assertThat(task.payload().path("access_token").asString()).isEqualTo("secret");
      assertThat(task.workerId().orElseThrow()).isZero();
      assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
      assertThat(find("a").podId()).contains("pod-1");
    }
  }

  @Test
  void anUnrecoverableErrorIsForGood() {
    Pod pod =
        pod(
            1,
            run -> {
              throw new IllegalArgumentException("wrong access_token");
            });
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      Task _ = ended.await(LONG);
      assertThat(find("a").state()).isEqualTo(TaskState.FAILED);
      assertThat(find("a").error()).contains("wrong access_token");
    }
  }

  /** An {@link Error} is no exception: uncaught, it would leak the slot and its lease. */
  @Test
  void anErrorInAHandlerIsTheEndOfItsTaskAndNotOfTheSlot() {
    Pod pod =
        pod(
            1,
            run -> {
              throw new StackOverflowError("too deep");
            });
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      Task _ = ended.await(LONG);
      assertThat(find("a").state()).isEqualTo(TaskState.FAILED);
      assertThat(find("a").error()).contains("too deep");
      enqueue("b");
      assertThat(ended.await(LONG).id()).isEqualTo("b");
    }
  }

  /** A reason may be the message of an exception that has none. */
  @SuppressWarnings("NullAway") // handlers of users are compiled without it
  @Test
  void aHandlerThatGivesNoReasonOrNoOutcomeFailsItsTaskAndKeepsNoSlot() {
    Pod pod =
        pod(
            1,
            run ->
                switch (run.task().id()) {
                  case "a" -> new AttemptOutcome.AttemptFailed(null);
                  case "b" -> null;
                  default -> new AttemptOutcome.AttemptDone();
                });
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      for (String id : List.of("a", "b", "c")) {
        enqueue(id);
        assertThat(ended.await(LONG).id()).isEqualTo(id);
      }
    }
    assertThat(find("a").state()).isEqualTo(TaskState.FAILED);
    assertThat(find("a").error()).isEqualTo("no reason given");
    assertThat(find("b").state()).isEqualTo(TaskState.FAILED);
    assertThat(find("b").error()).isEqualTo("its handler returned no outcome");
    assertThat(find("c").state()).isEqualTo(TaskState.SUCCESS);
  }

  /** Redis answers the report with an error that is no refusal. */
  @Test
  void aTaskWhoseOutcomeCannotBeReportedKeepsNoSlot() {
    String broken = KeySpace.ONE.task("a");
    Pod pod =
        pod(
            1,
            run -> {
              if (!run.task().id().equals("a")) {
                return new AttemptOutcome.AttemptDone();
              }
              long _ = redis.call(commands -> commands.del(broken));
              long _ = redis.call(commands -> commands.lpush(broken, "no task"));
              return new AttemptOutcome.AttemptFailed("no");
            });
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      enqueue("b");
      assertThat(ended.await(LONG).id()).isEqualTo("b");
    }
  }

  /**
   * A rebuild that ends after the lease still accepts what its pod reports. Until the task is back
   * its lease cannot be renewed.
   */
  @Test
  void anOutcomeThatRedisCannotDecideIsReportedAfterItsLeaseToo() {
    CountDownLatch finish = new CountDownLatch(1);
    Pod pod = pod(1, _ -> awaited(finish));
    enqueue("a");
    TaskAttempt run = runs.await(LONG);
    String task = KeySpace.ONE.task("a");
    long _ = redis.call(commands -> commands.del(KeySpace.ONE.generation()));
    String _ = redis.call(commands -> commands.rename(task, "aside"));
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      finish.countDown();
      while (!run.overdue(System.nanoTime() - 500_000_000)) {
        LockSupport.parkNanos(10_000_000);
      }
      String _ = redis.call(commands -> commands.rename("aside", task));
      assertThat(find("a").state()).isEqualTo(TaskState.PROCESSING);
      becomeWhole();
      assertThat(ended.await(LONG).id()).isEqualTo("a");
      assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
    }
  }

  @Tag("nightly")
  @Test
  void whatADeadPodRanIsRunAgainByAnotherAndEnds() {
    DispatchMaintainer dispatchMaintainer = runTicks();
    Pod first = pod(1, PodTest::untilInterrupted);
    enqueue("a");
    assertThat(runs.await(LONG).task().attempt()).isEqualTo(1);
    Pod second = pod(1, run -> new AttemptOutcome.AttemptDone());
    try (SignalObservation<Task> ended = second.ended().observe()) {
      first.crash();
      assertThat(ended.await(LONG).attempt()).isEqualTo(2);
    }
    assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
    assertThat(find("a").retryCount()).isEqualTo(1);
    assertThat(dispatchMaintainer).isNotNull();
  }

  @Test
  void aStopReachesWhatRunsAndItEndsWell() {
    Pod pod = pod(1, PodTest::untilStopped);
    enqueue("a");
    TaskAttempt _ = runs.await(LONG);
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      assertThat(taskQueue.stop("a").result()).isEqualTo(TransitionResult.APPLIED);
      Task _ = ended.await(LONG);
      assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
    }
  }

  /** A pod that cannot renew has stopped its work before another one can start it (dispatch-9). */
  @Test
  void aPodThatCannotRenewStopsTheWorkBeforeItsLeaseEnds() {
    Pod pod = pod(1, PodTest::untilInterrupted);
    enqueue("a");
    TaskAttempt run = runs.await(LONG);
    try (SignalObservation<String> lost = pod.lost().observe()) {
      long asleep = System.nanoTime();
      server.pause(true);
      assertThat(lost.await(LONG)).isEqualTo("a");
      assertThat(run.stopping()).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - asleep)).isLessThan(CONFIG.lease());
    } finally {
      server.pause(false);
    }
  }

  @Test
  void withoutADurableStoreALossOfRedisEndsRunningWork() {
    DispatchMaintainer _ = runTicks();
    Pod pod = pod(1, PodTest::untilInterrupted);
    enqueue("a");
    TaskAttempt _ = runs.await(LONG);
    try (SignalObservation<String> lost = pod.lost().observe()) {
      server.flush();
      assertThat(lost.await(LONG)).isEqualTo("a");
    }
  }

  @Tag("nightly")
  @Test
  void leasesAreRenewedForAsLongAsTheWorkTakes() {
    CountDownLatch enough = new CountDownLatch(1);
    DispatchMaintainer _ = runTicks();
    Pod pod =
        pod(
            2,
            run -> {
              enough.await();
              return new AttemptOutcome.AttemptDone();
            });
    enqueue("a");
    TaskAttempt run = runs.await(LONG);
    try (SignalObservation<Task> ended = pod.ended().observe();
        SignalObservation<Integer> renewed = pod.renewed().observe()) {
      // A lease is renewed three times in its length; after the fourth it would have ended.
      for (int i = 0; i < 4; i++) {
        assertThat(renewed.await(LONG)).isEqualTo(1);
        assertThat(run.stopping()).isFalse();
      }
      enough.countDown();
      assertThat(ended.await(LONG).attempt()).isEqualTo(1);
    }
    assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
  }

  /** The pod is parked, and no other event would wake it. */
  @Test
  void aParkedPodIsWokenForATaskWhenItsNextTryIsDue() {
    DispatchMaintainer _ = runTicks();
    Pod pod =
        pod(
            1,
            run ->
                run.task().attempt() < 3
                    ? new AttemptOutcome.AttemptRetry("busy")
                    : new AttemptOutcome.AttemptDone());
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      Instant before = find("a").createdAt();
      for (int backoff : new int[] {0, 300, 600}) {
        Instant begun = runs.await(LONG).task().processedAt().orElseThrow();
        assertThat(Duration.between(before, begun))
            .isBetween(Duration.ofMillis(backoff), Duration.ofMillis(2L * backoff + 250));
        before = begun;
        Task _ = ended.await(LONG);
      }
    }
    assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
    assertThat(find("a").retryCount()).isEqualTo(2);
  }

  /** Only a retry waits, and no maintainer runs that would end its wait. */
  @Test
  void aTaskThatItsHandlerHandsBackIsBegunAgainAtOnce() {
    Pod pod =
        pod(
            1,
            run ->
                run.task().attempt() < 2
                    ? new AttemptOutcome.AttemptHandedBack(TaskAttempt.NOT_BEGUN)
                    : new AttemptOutcome.AttemptDone());
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      Task _ = ended.await(LONG);
      Task _ = ended.await(LONG);
    }
    assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
  }

  @Test
  void aPodThatDrainsFinishesWhatItRunsAndTakesNothingNew() {
    CountDownLatch finish = new CountDownLatch(1);
    Pod pod = pod(2, run -> awaited(finish));
    enqueue("a");
    TaskAttempt _ = runs.await(LONG);
    Thread draining = Thread.startVirtualThread(() -> assertThat(pod.drain(LONG)).isTrue());
    while (!taskQueue.stats().regions().isEmpty()
        && taskQueue.stats().regions().getFirst().pods() > 0) {
      LockSupport.parkNanos(10_000_000);
    }
    enqueue("b");
    finish.countDown();
    join(draining);
    assertThat(find("a").state()).isEqualTo(TaskState.SUCCESS);
    assertThat(find("b").state()).isEqualTo(TaskState.PENDING);
  }

  @Test
  void whatDoesNotEndWithinTheBoundOfADrainIsGivenBack() {
    Pod pod = pod(1, PodTest::untilInterrupted);
    enqueue("a");
    TaskAttempt _ = runs.await(LONG);
    assertThat(pod.drain(Duration.ofMillis(50))).isFalse();
    Task task = find("a");
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.error()).isEqualTo("its pod was shut down");
    assertThat(taskQueue.stats().regions()).extracting(RegionStats::pods).containsOnly(0L);
  }

  /** A heartbeat after it has signed off would list it for as long as an idle pod may be silent. */
  @Test
  void aPodThatWasDrainedAndShutsDownIsNotListed() {
    for (int i = 1; i <= 20; i++) {
      CountDownLatch finish = new CountDownLatch(1);
      Pod pod = pod(1, run -> awaited(finish));
      enqueue("a" + i);
      TaskAttempt _ = runs.await(LONG);
      assertThat(taskQueue.drain("pod-" + i, true)).isEqualTo(TransitionResult.APPLIED);
      awaitSlots(0);
      Thread draining = Thread.startVirtualThread(() -> assertThat(pod.drain(LONG)).isTrue());
      finish.countDown();
      join(draining);
      assertThat(taskQueue.stats().pods()).isEmpty();
    }
  }

  @Test
  void aDrainedPodFinishesItsTasksStaysAliveAndCanBeResumed() {
    CountDownLatch finish = new CountDownLatch(1);
    Pod pod = pod(2, run -> awaited(finish));
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      TaskAttempt _ = runs.await(LONG);
      assertThat(taskQueue.drain("pod-1", true)).isEqualTo(TransitionResult.APPLIED);
      assertThat(taskQueue.drain("pod-1", true)).isEqualTo(TransitionResult.REPEATED);
      awaitSlots(0);
      enqueue("b");
      finish.countDown();
      assertThat(ended.await(LONG).id()).isEqualTo("a");
      assertThat(taskQueue.stats().pods())
          .containsExactly(new PodInfo("pod-1", "eu", 0, 0, 0, true));
      assertThat(find("b").state()).isEqualTo(TaskState.PENDING);

      assertThat(taskQueue.drain("pod-1", false)).isEqualTo(TransitionResult.APPLIED);
      assertThat(ended.await(LONG).id()).isEqualTo("b");
      awaitSlots(2);
    }
    assertThat(taskQueue.drain("nobody", true)).isEqualTo(TransitionResult.UNKNOWN);
  }

  /** A pod without tasks may be silent for longer than one that has some. */
  @Test
  void aDrainedPodStaysListedWhenItsLastTaskEnds() {
    CountDownLatch finish = new CountDownLatch(1);
    Pod pod = pod(1, run -> awaited(finish));
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      TaskAttempt _ = runs.await(LONG);
      assertThat(taskQueue.drain("pod-1", true)).isEqualTo(TransitionResult.APPLIED);
      awaitSlots(0);
      finish.countDown();
      Task _ = ended.await(LONG);
    }
    long enough = System.currentTimeMillis() + CONFIG.silence().toMillis() + 10_000;
    long deadline = System.nanoTime() + LONG.toNanos();
    while (listedUntil("pod-1") < enough && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(listedUntil("pod-1")).isGreaterThan(enough);
  }

  private long listedUntil(String pod) {
    return redis.call(commands -> commands.zscore(KeySpace.ONE.own("pods"), pod)).longValue();
  }

  /** A restart of Redis must not undo an operator's drain. */
  @Test
  void aDrainSurvivesALossOfRedis() {
    DispatchMaintainer _ = runTicks();
    Pod pod = pod(1, run -> new AttemptOutcome.AttemptDone());
    awaitSlots(1);
    assertThat(taskQueue.drain("pod-1", true)).isEqualTo(TransitionResult.APPLIED);
    awaitSlots(0);
    server.flush();
    server.kill();
    server.restart();
    awaitSlots(0);
    assertThat(taskQueue.stats().pods()).extracting(PodInfo::draining).containsExactly(true);
    enqueue("a");
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      assertThat(find("a").state()).isEqualTo(TaskState.PENDING);
      assertThat(taskQueue.drain("pod-1", false)).isEqualTo(TransitionResult.APPLIED);
      assertThat(ended.await(LONG).id()).isEqualTo("a");
    }
  }

  /** Power failure: Redis has the drain and lost that the pod was resumed. */
  @Test
  void aResumeSurvivesAPowerFailureOfRedis() {
    DispatchMaintainer _ = runTicks();
    Pod pod = pod(1, run -> new AttemptOutcome.AttemptDone());
    awaitSlots(1);
    assertThat(taskQueue.drain("pod-1", true)).isEqualTo(TransitionResult.APPLIED);
    awaitSlots(0);
    long written = server.written();
    assertThat(taskQueue.drain("pod-1", false)).isEqualTo(TransitionResult.APPLIED);
    awaitSlots(1);
    server.killLosing(written);
    server.restart();
    while (pods().isEmpty()) {
      LockSupport.parkNanos(10_000_000);
    }
    try (SignalObservation<Task> ended = pod.ended().observe()) {
      enqueue("a");
      assertThat(ended.await(LONG).id()).isEqualTo("a");
    }
    assertThat(taskQueue.stats().pods()).extracting(PodInfo::draining).containsExactly(false);
  }

  /**
   * One task wakes one pod; the others do not claim. A pod claims once more after each task; the
   * test waits for that claim, since it may get the next task before the woken pod.
   */
  @Test
  void oneTaskWakesOneOfManyParkedPods() {
    List<SignalObservation<Integer>> checks = new ArrayList<>();
    TestSignal<Integer> takers = new TestSignal<>();
    try (SignalObservation<Integer> taker = takers.observe()) {
      for (int i = 0; i < 16; i++) {
        int which = i;
        Pod pod =
            pod(
                1,
                run -> {
                  takers.emit(which);
                  return new AttemptOutcome.AttemptDone();
                });
        checks.add(pod.claimRounds().observe());
      }
      awaitParked(16);
      // Replies come in order: this one follows the first claim of each pod.
      awaitParked(16);
      checks.forEach(SignalObservation::drain);
      List<Integer> woken = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        awaitParked(16);
        enqueue("task-" + i);
        woken.add(taker.await(LONG));
        SignalObservation<Integer> its = checks.get(woken.getLast());
        assertThat(List.of(its.await(LONG), its.await(LONG))).containsExactly(1, 0);
      }
      awaitParked(16);
      assertThat(woken).doesNotHaveDuplicates();
      assertThat(checks.stream().flatMap(one -> one.drain().stream())).as("other looks").isEmpty();
    }
  }

  @Test
  void manyTasksUseAllSlotsOfAllPodsAndEachRunsOnce() {
    TestSignal<String> done = new TestSignal<>();
    DispatchMaintainer _ = runTicks();
    try (SignalObservation<String> ended = done.observe()) {
      for (int i = 0; i < 4; i++) {
        Pod _ =
            pod(
                3,
                run -> {
                  done.emit(run.task().id());
                  return new AttemptOutcome.AttemptDone();
                });
      }
      for (int i = 0; i < 300; i++) {
        enqueue("t" + i);
      }
      List<String> ids = new ArrayList<>();
      while (ids.size() < 300) {
        ids.add(ended.await(LONG));
      }
      assertThat(ids).doesNotHaveDuplicates();
    }
  }

  /** Waits until a live pod reports so many slots. */
  private void awaitSlots(long slots) {
    while (pods().stream().noneMatch(pod -> pod.slots() == slots)) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Empty while Redis is unreachable. */
  private List<PodInfo> pods() {
    try {
      return taskQueue.stats().pods();
    } catch (RedisUnavailable e) {
      return List.of();
    }
  }

  private void awaitParked(int count) {
    while (!redis.call(commands -> commands.info("clients")).contains("blocked_clients:" + count)) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private Pod pod(int slots, AttemptHandler attemptHandler) {
    pods++;
    Pod pod =
        new Pod(
            redis,
            new PodId("pod-" + pods, "eu"),
            slots,
            PodCapacity.COUNT_ONLY,
            CONFIG,
            run -> {
              begun.emit(run);
              return attemptHandler.run(run);
            });
    open.add(pod);
    return pod;
  }

  private DispatchMaintainer runTicks() {
    DispatchMaintainer dispatchMaintainer =
        new DispatchMaintainer(taskQueue, DurableTaskStore.NONE, CONFIG);
    open.add(dispatchMaintainer);
    return dispatchMaintainer;
  }

  private void enqueue(String id) {
    assertThat(taskQueue.enqueue(DispatchTestKit.task(id, "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  private Task find(String id) {
    return taskQueue.find(id).orElseThrow();
  }

  private static AttemptOutcome awaited(CountDownLatch finish) throws InterruptedException {
    finish.await();
    return new AttemptOutcome.AttemptDone();
  }

  private static AttemptOutcome untilInterrupted(TaskAttempt run) throws InterruptedException {
    new CountDownLatch(1).await();
    return new AttemptOutcome.AttemptDone();
  }

  private static AttemptOutcome untilStopped(TaskAttempt run) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    run.onStop(stopped::countDown);
    stopped.await();
    return new AttemptOutcome.AttemptDone();
  }

  private static void join(Thread thread) {
    try {
      assertThat(thread.join(LONG)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
