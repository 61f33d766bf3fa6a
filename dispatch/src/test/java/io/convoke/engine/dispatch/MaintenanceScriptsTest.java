package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Transitions without the holder: stop, expire, reclaim, overflow, restore. */
class MaintenanceScriptsTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  /** invalidate.lua. */
  @Nested
  class Invalidate {
    @Test
    void onlyTheGenerationThatIsNamedAndNoneThatIsRebuiltIsDeleted() {
      assertThat(invalidate("other")).isZero();
      String rebuild = dispatchTestKit.keySpace.prefix() + "dispatch:rebuild";
      String _ = dispatchTestKit.redis.call(commands -> commands.set(rebuild, "token"));
      assertThat(invalidate("g")).isZero();
      long _ = dispatchTestKit.redis.call(commands -> commands.del(rebuild));
      assertThat(generation()).isEqualTo("g");
      assertThat(invalidate("g")).isOne();
      assertThat(generation()).isEqualTo("null");
    }

    private int invalidate(String generation) {
      return dispatchTestKit.run(
          dispatchTestKit.scripts.invalidate(new RebuildEpoch("any", generation)));
    }

    private String generation() {
      String key = dispatchTestKit.keySpace.generation();
      String generation = dispatchTestKit.redis.call(commands -> commands.get(key));
      return String.valueOf(generation);
    }
  }

  /** stop.lua. */
  @Nested
  class Stop {
    @Test
    void whatWaitsEndsAndIsNeverStarted() {
      String id = dispatchTestKit.enqueue("eu", "a");
      StopResult stopResult = dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO));
      assertThat(stopResult.result()).isEqualTo(TransitionResult.APPLIED);
      assertThat(stopResult.task().orElseThrow().state()).isEqualTo(TaskState.FAILED);
      assertThat(stopResult.task().orElseThrow().error()).isEqualTo("stopped");
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    }

    @Test
    void aRunningTaskGetsTheStopRequestAndStaysItsHoldersUntilItEnds() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO)).result())
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO)).result())
          .isEqualTo(TransitionResult.REPEATED);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.PROCESSING);
      assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.inbox("pod-eu"))).isEqualTo(1);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO)).result())
          .isEqualTo(TransitionResult.REPEATED);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.SUCCESS);
    }

    /** A client that chose the id may stop the task while it is on its way to Redis. */
    @Test
    void aStopRequestThatArrivesBeforeItsTaskIsKept() {
      assertThat(
              dispatchTestKit
                  .run(dispatchTestKit.scripts.stop("t1", Duration.ofMinutes(1)))
                  .result())
          .isEqualTo(TransitionResult.UNKNOWN);
      assertThat(dispatchTestKit.enqueue("eu", "a")).isEqualTo("t1");
      assertThat(dispatchTestKit.task("t1").state()).isEqualTo(TaskState.FAILED);
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    }

    @Test
    void anUnknownTaskIsNotFound() {
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop("nothing", Duration.ZERO)))
          .isEqualTo(new StopResult(TransitionResult.UNKNOWN, Optional.empty()));
    }
  }

  /** expire.lua (dispatch-3). */
  @Nested
  class Expiry {
    @Test
    void marksWhatIsOlderThanItsWindowAndNothingElse() {
      String old = dispatchTestKit.enqueue("eu", "a");
      String running = dispatchTestKit.enqueue("eu", "a");
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
          .extracting(Task::id)
          .containsExactly(old);
      dispatchTestKit.pass(Duration.ofSeconds(30));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isZero();
      dispatchTestKit.pass(Duration.ofMillis(1));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.task(old).state()).isEqualTo(TaskState.PROCESSING);
      Task task = dispatchTestKit.task(running);
      assertThat(task.state()).isEqualTo(TaskState.TIMEOUT);
      assertThat(task.completedAt()).isPresent();
      assertThat(task.error()).isEqualTo("waited longer than 30000 ms");
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isZero();
    }

    @Test
    void isBoundedAndSaysIfThereIsMore() {
      for (int i = 0; i < 5; i++) {
        String _ = dispatchTestKit.enqueue(i % 2 == 0 ? "eu" : "us", "a");
      }
      dispatchTestKit.pass(Duration.ofSeconds(31));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(3)).count()).isEqualTo(3);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(3)).count()).isEqualTo(2);
    }
  }

  /** reclaim.lua (dispatch-4). */
  @Nested
  class Reclaim {
    @Test
    void whatASilentPodHeldGoesToTheHeadWithAFreshWindowWhenItsLeaseEnds() {
      String first = dispatchTestKit.enqueue("eu", "a");
      String second = dispatchTestKit.enqueue("eu", "a");
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 2)).hasSize(2);
      String behind = dispatchTestKit.enqueue("eu", "a");
      dispatchTestKit.pass(DispatchTestKit.CONFIG.lease());
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isZero();
      dispatchTestKit.pass(Duration.ofMillis(1));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(2);
      Task task = dispatchTestKit.task(first);
      assertThat(task.state()).isEqualTo(TaskState.PENDING);
      assertThat(task.pendingAt()).isEqualTo(task.createdAt().plusMillis(45_001));
      assertThat(task.error()).isEqualTo("its lease ended");
      assertThat(dispatchTestKit.claim(DispatchTestKit.US, 3)).isEmpty();
      assertThat(dispatchTestKit.claim(new PodId("pod-2", "eu"), 2))
          .extracting(Task::id)
          .containsExactly(first, second);
      assertThat(dispatchTestKit.task(first).attempt()).isEqualTo(2);
      assertThat(dispatchTestKit.task(behind).attempt()).isZero();
    }

    /** The pod may be alive: the message waits in its inbox. */
    @Test
    void thePodThatLostALeaseIsNotifiedAtOnce() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      dispatchTestKit.pass(DispatchTestKit.CONFIG.lease().plusMillis(1));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.inbox("pod-eu"))).isEqualTo(1);
      RenewResult renewResult =
          dispatchTestKit.run(
              dispatchTestKit.scripts.renew(
                  DispatchTestKit.EU, 10, 9, RenewResult.DrainSetting.NONE, List.of(taskLeaseRef)));
      assertThat(renewResult.results()).containsExactly(TransitionResult.STALE);
    }

    /** The lease of 45 s covers a live pod that lost the task (dispatch-9). */
    @Test
    void whatALivePodDidNotRenewIsTakenFromItWhenItsLeaseEnds() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      dispatchTestKit.pass(Duration.ofSeconds(45));
      beat();
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isZero();
      dispatchTestKit.pass(Duration.ofMillis(1));
      beat();
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.task(id).error()).isEqualTo("its lease ended");
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
          .isEqualTo(TransitionResult.STALE);
      TaskLeaseRef again = dispatchTestKit.claimOne(DispatchTestKit.EU);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
          .isEqualTo(TransitionResult.STALE);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", again)))
          .isEqualTo(TransitionResult.APPLIED);
    }

    /** A pod that dies while it stops a recording must not make it start again (dispatch-12). */
    @Test
    void whatWasToStopEndsWithItsPod() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
      StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO));
      dispatchTestKit.pass(Duration.ofSeconds(46));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.SUCCESS);
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    }

    /** A task that crashes its pods is not retried forever (dispatch-4). */
    @Test
    void afterTheLastAttemptItFailsWithTheReason() {
      String id = dispatchTestKit.enqueue("eu", "a");
      for (int attempt = 1; attempt <= 5; attempt++) {
        TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
        dispatchTestKit.pass(Duration.ofSeconds(46));
        assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
      }
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.FAILED);
      assertThat(dispatchTestKit.task(id).error())
          .isEqualTo("gave up after 5 attempts: its lease ended");
    }

    @Test
    void aDeadPodCannotBeDrained() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).hasSize(1);
      dispatchTestKit.pass(DispatchTestKit.CONFIG.silence().plusMillis(1));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.drain("pod-eu", true)))
          .isEqualTo(TransitionResult.UNKNOWN);
    }

    @Test
    void aDeadPodIsForgottenWhenNothingOfItIsLeft() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      String _ = dispatchTestKit.enqueue("eu", "a");
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 2)).hasSize(2);
      dispatchTestKit.pass(Duration.ofSeconds(46));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(1)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(1)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.own("pods"))).isZero();
    }

    /** A store that is not compared yet may lack the last renewal. */
    @Test
    void noTaskIsReclaimedBeforeRedisIsComparedWithTheDatabase() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
      dispatchTestKit.pass(Duration.ofSeconds(46));
      long _ =
          dispatchTestKit.redis.call(
              commands -> commands.del(dispatchTestKit.keySpace.generation()));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isZero();
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.PROCESSING);
    }

    private void beat() {
      RenewResult _ =
          dispatchTestKit.run(
              dispatchTestKit.scripts.renew(
                  DispatchTestKit.EU, 10, 9, RenewResult.DrainSetting.NONE, List.of()));
    }
  }

  /** reclaim.lua where a pod counts as dead before its leases end. */
  @Nested
  class DeadAfter {
    private final TaskScripts taskScripts =
        new TaskScripts(
            DispatchTestKit.MANUAL_CLOCK,
            dispatchTestKit.keySpace,
            DispatchTestKit.CONFIG.deadAfter(Optional.of(Duration.ofSeconds(6))));

    @Test
    void whatASilentPodHeldIsTakenFromItBeforeItsLeaseEnds() {
      String id = dispatchTestKit.enqueue("eu", "a");
      claim();
      assertThat(watch(6)).isZero();
      assertThat(watch(1)).isEqualTo(1);
      assertThat(dispatchTestKit.task(id).error()).isEqualTo("its pod pod-eu died");
    }

    @Test
    void aPodThatRenewsIsAlive() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = claim();
      for (int i = 0; i < 5; i++) {
        assertThat(watch(5)).isZero();
        RenewResult renewResult =
            dispatchTestKit.run(
                taskScripts.renew(
                    DispatchTestKit.EU,
                    10,
                    9,
                    RenewResult.DrainSetting.NONE,
                    List.of(taskLeaseRef)));
        assertThat(renewResult.results()).containsExactly(TransitionResult.APPLIED);
      }
    }

    /** A renewal sent before the claim's reply may arrive after it. */
    @Test
    void aPodThatSaidThatItHoldsNothingIsMissedAsSoonAsAnyOtherThatHolds() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      claim();
      RenewResult _ =
          dispatchTestKit.run(
              taskScripts.renew(
                  DispatchTestKit.EU, 10, 9, RenewResult.DrainSetting.NONE, List.of()));
      assertThat(watch(7)).isEqualTo(1);
    }

    /** Redis, or all servers, were down: the pods' silence does not count. */
    @Test
    void silenceCountsOnlyWhileAMaintainerSweeps() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      claim();
      assertThat(watch(2)).isZero();
      dispatchTestKit.pass(Duration.ofSeconds(20));
      assertThat(watch(6)).isZero();
      assertThat(watch(2)).isEqualTo(1);
    }

    /** Advances the clock second by second with a sweep in each; returns the reclaimed tasks. */
    private int watch(int seconds) {
      int count = 0;
      for (int i = 0; i < seconds; i++) {
        count += dispatchTestKit.run(taskScripts.reclaim(10)).count();
        dispatchTestKit.pass(Duration.ofSeconds(1));
      }
      return count + dispatchTestKit.run(taskScripts.reclaim(10)).count();
    }

    private TaskLeaseRef claim() {
      Task task =
          dispatchTestKit
              .run(taskScripts.claim(DispatchTestKit.EU, 10, List.of(0), PodCapacity.COUNT_ONLY, 1))
              .tasks()
              .getFirst();
      return new TaskLeaseRef(task.id(), task.fence());
    }
  }

  /** overflow.lua. */
  @Nested
  class Overflow {
    @Test
    void whatWaitedTooLongInItsRegionMayGoAnywhere() {
      RenewResult _ =
          dispatchTestKit.run(
              dispatchTestKit.scripts.renew(
                  DispatchTestKit.EU, 1, 0, RenewResult.DrainSetting.NONE, List.of()));
      String id = dispatchTestKit.enqueue("eu", "a");
      dispatchTestKit.pass(Duration.ofSeconds(10));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isZero();
      assertThat(dispatchTestKit.claim(DispatchTestKit.US, 1)).isEmpty();
      dispatchTestKit.pass(Duration.ofMillis(1));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("global"))).isEqualTo(1);
      assertThat(dispatchTestKit.claim(DispatchTestKit.US, 1))
          .extracting(Task::id)
          .containsExactly(id);
      Task task = dispatchTestKit.task(id);
      assertThat(task.pendingAt()).isEqualTo(task.createdAt());
      assertThat(TaskJson.full(task).path("region").asString()).isEqualTo("eu");
    }

    @Test
    void aRegionWithoutALivePodLetsGoAtOnce() {
      String id = dispatchTestKit.enqueue("eu", "a");
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.claim(DispatchTestKit.US, 1))
          .extracting(Task::id)
          .containsExactly(id);
    }

    @Test
    void thirtySecondsAreThirtySecondsInWhateverQueue() {
      String id = dispatchTestKit.enqueue("eu", "a");
      dispatchTestKit.pass(Duration.ofSeconds(20));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isEqualTo(1);
      dispatchTestKit.pass(Duration.ofMillis(10_001));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(1);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.TIMEOUT);
    }
  }

  /** tick.lua: adds lost tokens again. */
  @Test
  void whatWaitsAlthoughItsTokenWasLostIsAnnouncedAgain() {
    String _ =
        dispatchTestKit.redis.call(
            commands -> commands.set(dispatchTestKit.keySpace.generation(), "g"));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isZero();
    long _ =
        dispatchTestKit.redis.call(commands -> commands.del(dispatchTestKit.keySpace.own("tick")));
    String _ = dispatchTestKit.enqueue("eu", "a");
    assertThat(dispatchTestKit.pop(dispatchTestKit.keySpace.wake("eu"))).isEqualTo("1");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(1);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(-1);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isEqualTo(1);
    long _ =
        dispatchTestKit.redis.call(commands -> commands.del(dispatchTestKit.keySpace.generation()));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(-2);
  }

  /** tick.lua: users choose the names of regions. */
  @Test
  void whatIsKeptForRegionsDoesNotGrowWithTheirNumber() {
    serveElsewhere(0, 999);
    tick();
    assertThat(turns()).as("of 999 lines, and the turn that was reached").isEqualTo(1000);
    serveElsewhere(999, 1000);
    String _ = dispatchTestKit.enqueue("late", "a");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isEqualTo(1);
    dispatchTestKit.pass(Duration.ofSeconds(31));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(1);
    tick();
    assertThat(turns()).isEqualTo(1);
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.own("rota"))).isZero();
    assertThat(
            dispatchTestKit.redis.<List<String>>call(
                commands -> commands.keys(dispatchTestKit.keySpace.wake("*"))))
        .filteredOn(list -> !list.endsWith(":snapshot"))
        .as("lists that do not expire")
        .containsExactly(dispatchTestKit.keySpace.wake(KeySpace.GLOBAL));
  }

  /** Enqueues a task in each of these regions, which have no pods; a pod of another runs them. */
  private void serveElsewhere(int from, int to) {
    IntStream.range(from, to).forEach(i -> dispatchTestKit.enqueue("x" + i, "a"));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(2000)).count())
        .isEqualTo(to - from);
    for (int left = to - from; left > 0; left -= 100) {
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 100)).hasSize(Math.min(100, left));
    }
  }

  private void tick() {
    long _ =
        dispatchTestKit.redis.call(commands -> commands.del(dispatchTestKit.keySpace.own("tick")));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isPositive();
  }

  private long turns() {
    return dispatchTestKit.redis.call(
        commands -> commands.hlen(dispatchTestKit.keySpace.own("turns")));
  }

  /** stats.lua. */
  @Test
  void theRegionsAreCountedByWhatTheyAskedForAndWhoRunsThem() {
    String _ = dispatchTestKit.enqueue("eu", "a");
    String _ = dispatchTestKit.enqueue("eu", "b");
    dispatchTestKit.pass(Duration.ofSeconds(2));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).hasSize(1);
    assertThat(
            KeySpaceStats.total(List.of(dispatchTestKit.run(dispatchTestKit.scripts.stats())))
                .regions())
        .containsExactly(new RegionStats("eu", 1, 1, Optional.of(Duration.ofSeconds(2)), 1, 10, 0));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stats()).outboxLength())
        .isEqualTo(dispatchTestKit.outbox().size())
        .isEqualTo(3);
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.unregister(
                    DispatchTestKit.EU, DispatchTestKit.CONFIG.silence())))
        .isEqualTo(1);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)))
        .isEqualTo(new SweepResult(1, Map.of("eu", 1)));
    assertThat(
            KeySpaceStats.total(List.of(dispatchTestKit.run(dispatchTestKit.scripts.stats())))
                .regions())
        .containsExactly(new RegionStats("eu", 1, 1, Optional.of(Duration.ofSeconds(2)), 0, 0, 0));
  }
}
