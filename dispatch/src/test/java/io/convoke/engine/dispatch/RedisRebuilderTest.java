package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** restore.lua and mark_restored.lua: a Redis that lost data is restored. */
class RedisRebuilderTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  @Test
  void missingTasksAreRestoredAndPresentOnesStayAndAreEmittedAgain() {
    dispatchTestKit.becomeWhole();
    String known = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
    assertThat(adopt(open(known, TaskState.PENDING, 0), open("x", TaskState.PENDING, 0)))
        .isEqualTo(1);
    assertThat(dispatchTestKit.task(known).state()).isEqualTo(TaskState.PROCESSING);
    assertThat(dispatchTestKit.outbox())
        .containsExactly(
            known + " PENDING 0", known + " PROCESSING 1", known + " PROCESSING 1", "x PENDING 0");
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 2))
        .extracting(Task::id)
        .containsExactly("x");
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, false))).isZero();
    assertThat(dispatchTestKit.outbox()).hasSize(5);
  }

  @Test
  void aTaskRunningInTheDatabaseKeepsItsAttemptUntilItsLeaseWouldHaveEnded() {
    assertThat(adopt(open("x", TaskState.PROCESSING, 2))).isEqualTo(1);
    assertThat(dispatchTestKit.task("x").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(dispatchTestKit.task("x").podId()).contains("pod-eu");
    assertThat(dispatchTestKit.task("x").processedAt())
        .contains(dispatchTestKit.task("x").createdAt().plusSeconds(55));
    assertThat(dispatchTestKit.task("x").pendingAt())
        .isEqualTo(dispatchTestKit.task("x").createdAt().plusSeconds(50));
    assertThat(dispatchTestKit.task("x").retryCount()).isEqualTo(1);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.inbox("pod-eu")))
        .as("the pod is asked")
        .isEqualTo(1);
    dispatchTestKit.pass(Duration.ofSeconds(45));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isZero();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    dispatchTestKit.pass(Duration.ofMillis(1));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
    Task task = dispatchTestKit.claim(DispatchTestKit.EU, 1).getFirst();
    assertThat(task.attempt()).isEqualTo(3);
    assertThat(task.pendingAt()).isEqualTo(task.createdAt().plusMillis(60_000 + 45_001));
  }

  @Test
  void thePodThatReportsTheStoredAttemptKeepsTheTask() {
    assertThat(adopt(open("x", TaskState.PROCESSING, 2))).isEqualTo(1);
    TaskLeaseRef taskLeaseRef = new TaskLeaseRef("x", "2.before");
    assertThat(renew(DispatchTestKit.US, new TaskLeaseRef("x", "1.before")))
        .isEqualTo(TransitionResult.STALE);
    assertThat(renew(DispatchTestKit.EU, taskLeaseRef)).isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.task("x").attempt()).isEqualTo(2);
    assertThat(dispatchTestKit.task("x").fence()).isEqualTo("2.before");
    assertThat(renew(DispatchTestKit.US, taskLeaseRef))
        .as("it is reported by now")
        .isEqualTo(TransitionResult.STALE);
    assertThat(dispatchTestKit.outbox()).isEmpty();
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), taskLeaseRef)))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.outbox()).containsExactly("x SUCCESS 2");
  }

  /** Its claim was lost before it reached the database. */
  @Test
  void aPodThatReportsALaterAttemptThanTheStoredOneKeepsTheTask() {
    assertThat(adopt(open("x", TaskState.PENDING, 1, 3, false))).isEqualTo(1);
    assertThat(renew(DispatchTestKit.US, new TaskLeaseRef("x", "1.before")))
        .isEqualTo(TransitionResult.STALE);
    assertThat(renew(DispatchTestKit.US, new TaskLeaseRef("x", "2.before")))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    assertThat(dispatchTestKit.task("x").podId()).contains("pod-us");
    assertThat(dispatchTestKit.outbox()).containsExactly("x PROCESSING 2");
    assertThat(adopt(open("y", TaskState.PROCESSING, 1, 3, false))).isEqualTo(1);
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(
                    DispatchTestKit.US.id(), new TaskLeaseRef("y", "2.before"))))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.task("y").attempt()).isEqualTo(2);
    assertThat(dispatchTestKit.task("y").retryCount()).isEqualTo(1);
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.leases("pod-eu"))).isZero();
  }

  @Test
  void aReportIsRefusedOnceAnotherPodHasTheTask() {
    assertThat(adopt(open("x", TaskState.PENDING, 1, 3, false))).isEqualTo(1);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::attempt)
        .containsExactly(3);
    assertThat(renew(DispatchTestKit.US, new TaskLeaseRef("x", "2.before")))
        .isEqualTo(TransitionResult.STALE);
  }

  @Test
  void allAttemptsOfARestoredTaskThatEndsAsItWaitsWereRetried() {
    assertThat(adopt(open("x", TaskState.PENDING, 1, 3, false))).isEqualTo(1);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop("x", Duration.ZERO)).result())
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.moves().getLast().attempt()).isEqualTo(2);
    assertThat(dispatchTestKit.task("x").retryCount()).isEqualTo(2);
  }

  /** A key space without a generation is empty: pods may run tasks that seem to wait there. */
  @Test
  void aStoreThatWasNotComparedGivesNothingAndSaysOfNoTaskThatItIsAnotherPods() {
    emptyThePlace();
    String id = dispatchTestKit.enqueue("eu", "a");
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    assertThat(dispatchTestKit.pop(dispatchTestKit.keySpace.maintenanceList())).isNotNull();
    assertThat(renew(DispatchTestKit.EU, new TaskLeaseRef("x", "1.before")))
        .isEqualTo(TransitionResult.UNSURE);
    assertThat(renew(DispatchTestKit.EU, new TaskLeaseRef(id, "1.before")))
        .isEqualTo(TransitionResult.UNSURE);
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(
                    DispatchTestKit.EU.id(), new TaskLeaseRef("x", "1.before"))))
        .isEqualTo(TransitionResult.UNSURE);
    dispatchTestKit.becomeWhole();
    assertThat(renew(DispatchTestKit.EU, new TaskLeaseRef("x", "1.before")))
        .isEqualTo(TransitionResult.UNKNOWN);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::id)
        .containsExactly(id);
  }

  /** The task may run: its transitions, which Redis had, may still be on their way. */
  @Test
  void aStoreThatWasNotComparedTakesNoTaskFromTheDatabase() {
    emptyThePlace();
    assertThat(adopt(open("x", TaskState.PENDING, 0))).isEqualTo(-1);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.find(List.of("x"))))
        .containsExactly(Optional.empty());
    dispatchTestKit.becomeWhole();
    assertThat(adopt(open("x", TaskState.PENDING, 0))).isEqualTo(1);
  }

  /** The pod counts from its last renewal, which Redis may have lost. */
  @Test
  void everyLeaseBeginsAnewWithTheComparison() {
    String known = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
    dispatchTestKit.pass(Duration.ofSeconds(50));
    comeBackAsAnother();
    DurableTaskStore durableTaskStore = new Remembering(List.of(), () -> {});
    assertThat(
            new RedisRebuilder(
                    dispatchTestKit.redis,
                    dispatchTestKit.scripts,
                    durableTaskStore,
                    new TestSignal<>())
                .rebuildIfNeeded())
        .isTrue();
    dispatchTestKit.pass(Duration.ofSeconds(45));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isZero();
    dispatchTestKit.pass(Duration.ofMillis(1));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
    assertThat(dispatchTestKit.task(known).attempt()).isEqualTo(1);
  }

  @Test
  void whatWaitedKeepsItsDeadlineAndIsNoNews() {
    dispatchTestKit.becomeWhole();
    assertThat(adopt(open("x", TaskState.PENDING, 1))).isEqualTo(1);
    assertThat(dispatchTestKit.outbox()).containsExactly("x PENDING 1");
    assertThat(adopt(open("y", TaskState.PENDING, 1, 2, false))).isEqualTo(1);
    assertThat(dispatchTestKit.outbox()).hasSize(1);
    dispatchTestKit.pass(Duration.ofMillis(20_001));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(2);
  }

  @Test
  void whatIsToStopIsNotStarted() {
    String running = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
    assertThat(
            adopt(
                open("waited", TaskState.PENDING, 0, 1, true),
                open("ran", TaskState.PROCESSING, 1, 2, true),
                open(running, TaskState.PROCESSING, 1, 2, true)))
        .isEqualTo(2);
    assertThat(dispatchTestKit.task("waited").state()).isEqualTo(TaskState.FAILED);
    assertThat(dispatchTestKit.task("ran").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(
            dispatchTestKit
                .run(
                    dispatchTestKit.scripts.renew(
                        DispatchTestKit.EU,
                        3,
                        3,
                        RenewResult.DrainSetting.NONE,
                        List.of(new TaskLeaseRef("ran", "1.old"))))
                .stop())
        .contains("ran");
    assertThat(dispatchTestKit.task(running).stop()).isTrue();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 3)).isEmpty();
  }

  /** A power failure or failover may lose a second of writes that pods still know. */
  @Test
  void nothingIsGivenOutBeforeWhatWasLostIsMadeUpFor() {
    String known = dispatchTestKit.enqueue("eu", "a");
    String _ =
        dispatchTestKit.redis.call(
            commands -> commands.set(dispatchTestKit.keySpace.generation(), "g"));
    comeBackAsAnother();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(-2);
    assertThat(dispatchTestKit.pop(dispatchTestKit.keySpace.maintenanceList())).isNotNull();
    dispatchTestKit.becomeWhole();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(1);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::id)
        .containsExactly(known);
  }

  @Test
  void anAttemptThatMayHaveBeenGivenOutInLostWritesIsNotGivenOutAgain() {
    String known = dispatchTestKit.enqueue("eu", "a");
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PENDING, 0, 1, false))).isZero();
    assertThat(adopt(open(known, TaskState.PENDING, 0, 1, false))).isZero();
    dispatchTestKit.becomeWhole();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::attempt)
        .containsExactly(2);
  }

  /** Accepted, claimed and lost before the database knew that Redis had it. */
  @Test
  void anAttemptOfATaskThatWasLostAltogetherIsNotGivenOutAgain() {
    comeBackAsAnother();
    assertThat(adopt(open("x", TaskState.PENDING, 0))).isEqualTo(1);
    dispatchTestKit.becomeWhole();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::attempt)
        .containsExactly(2);
    assertThat(dispatchTestKit.task("x").retryCount()).isEqualTo(1);
  }

  /** The same in an empty Redis: a pod may still run it. */
  @Test
  void anAttemptOfATaskThatWasForgottenUnheardIsNotGivenOutAgain() {
    List<OpenTask> open = new ArrayList<>();
    RedisRebuilder redisRebuilder =
        new RedisRebuilder(
            dispatchTestKit.redis,
            dispatchTestKit.scripts,
            new Remembering(open, () -> {}),
            new TestSignal<>());
    emptyThePlace();
    open.add(accepted("x", Duration.ZERO));
    boolean _ = redisRebuilder.rebuildIfNeeded();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .as("accepted since this server began, and Redis was empty before")
        .extracting(Task::attempt)
        .containsExactly(1);
    emptyThePlace();
    boolean _ = redisRebuilder.rebuildIfNeeded();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .as("its pod may report it first")
        .isEmpty();
    dispatchTestKit.pass(DispatchTestKit.CONFIG.reporting());
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::attempt)
        .containsExactly(2);
  }

  @Test
  void aServerThatBeginsOnAnEmptyRedisDoesNotKnowWhatWasGivenOutBefore() {
    emptyThePlace();
    DurableTaskStore durableTaskStore =
        new Remembering(List.of(accepted("x", Duration.ofHours(1))), () -> {});
    boolean _ =
        new RedisRebuilder(
                dispatchTestKit.redis,
                dispatchTestKit.scripts,
                durableTaskStore,
                new TestSignal<>())
            .rebuildIfNeeded();
    dispatchTestKit.pass(DispatchTestKit.CONFIG.reporting());
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::attempt)
        .containsExactly(2);
  }

  /** Claimed in lost writes, and stopped as pending. */
  @Test
  void anEndBeforeTheComparisonIsNewerThanTheLostTransitions() {
    String known = dispatchTestKit.enqueue("eu", "a");
    comeBackAsAnother();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop(known, Duration.ZERO)).result())
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, true))).isZero();
    assertThat(dispatchTestKit.moves().getLast())
        .satisfies(
            taskTransition -> {
              assertThat(taskTransition.state()).isEqualTo(TaskState.FAILED);
              assertThat(taskTransition.attempt()).as("attempts do not go back").isEqualTo(1);
              assertThat(taskTransition.number()).isGreaterThan(2);
            });
    assertThat(dispatchTestKit.task(known).retryCount()).isEqualTo(1);
  }

  /** The lost writes may include another attempt that still runs. */
  @Test
  void reportsAreUndecidedUntilLostWritesAreCorrected() {
    String known = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    comeBackAsAnother();
    assertThat(
            List.of(
                dispatchTestKit.run(
                    dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), taskLeaseRef)),
                dispatchTestKit.run(
                    dispatchTestKit.scripts.fail(DispatchTestKit.EU.id(), taskLeaseRef, "no")),
                dispatchTestKit.run(
                    dispatchTestKit.scripts.tryAgain(
                        DispatchTestKit.EU.id(), taskLeaseRef, "not now"))))
        .containsOnly(TransitionResult.UNSURE);
    assertThat(dispatchTestKit.task(known).state()).isEqualTo(TaskState.PROCESSING);
    assertThat(dispatchTestKit.pop(dispatchTestKit.keySpace.maintenanceList())).isNotNull();
    dispatchTestKit.becomeWhole();
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), taskLeaseRef)))
        .isEqualTo(TransitionResult.APPLIED);
  }

  @Test
  void transitionsAfterLostWritesAreNewerThanTheLostOnes() {
    String known = dispatchTestKit.enqueue("eu", "a");
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PENDING, 2, 5, false))).isZero();
    dispatchTestKit.becomeWhole();
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    assertThat(taskLeaseRef.fence()).startsWith("4.");
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), taskLeaseRef)))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.moves().subList(1, dispatchTestKit.moves().size()))
        .isNotEmpty()
        .allSatisfy(taskTransition -> assertThat(taskTransition.number()).isGreaterThan(5));
  }

  @Test
  void whoWasFollowedByAnotherInLostWritesHoldsNothing() {
    String known = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef first = dispatchTestKit.claimOne(DispatchTestKit.EU);
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PROCESSING, 2, 4, false))).isZero();
    dispatchTestKit.becomeWhole();
    assertThat(
            dispatchTestKit.run(dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), first)))
        .isEqualTo(TransitionResult.STALE);
    assertThat(dispatchTestKit.task(known).state()).isEqualTo(TaskState.PROCESSING);
    assertThat(dispatchTestKit.task(known).attempt()).isEqualTo(2);
    assertThat(renew(DispatchTestKit.EU, new TaskLeaseRef(known, "2.g")))
        .isEqualTo(TransitionResult.APPLIED);
  }

  /** A pod runs it according to the database, but not to this Redis. */
  @Test
  void whatRunsByLostWritesIsKeptForItsPodAndThenWaitsForItsWholeWindow() {
    String known = dispatchTestKit.enqueue("eu", "a");
    dispatchTestKit.pass(Duration.ofSeconds(25));
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, false))).isZero();
    dispatchTestKit.becomeWhole();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    dispatchTestKit.pass(Duration.ofMillis(45_001));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
    dispatchTestKit.pass(Duration.ofSeconds(29));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isZero();
    dispatchTestKit.pass(Duration.ofMillis(1001));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(1);
  }

  @Test
  void whoHeldItBeforeLostWritesAndStillDoesGoesOn() {
    String known = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, false))).isZero();
    dispatchTestKit.becomeWhole();
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), taskLeaseRef)))
        .isEqualTo(TransitionResult.APPLIED);
  }

  @Test
  void whatHadEndedIsNotRunAgainAlthoughItsEndWasLost() {
    String waited = dispatchTestKit.enqueue("eu", "a");
    String ran = dispatchTestKit.enqueue("eu", "b");
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    String other = taskLeaseRef.id().equals(ran) ? waited : ran;
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.settle(
                    List.of(
                        new EndedTask(taskLeaseRef.id(), TaskState.SUCCESS, 2, ""),
                        new EndedTask(other, TaskState.TIMEOUT, 0, "late"),
                        new EndedTask("unknown", TaskState.FAILED, 0, "no")))))
        .isEqualTo(2);
    assertThat(dispatchTestKit.task(taskLeaseRef.id()).state()).isEqualTo(TaskState.SUCCESS);
    assertThat(dispatchTestKit.task(taskLeaseRef.id()).attempt())
        .as("the ledger knows of a later one")
        .isEqualTo(2);
    assertThat(dispatchTestKit.task(other).state()).isEqualTo(TaskState.TIMEOUT);
    assertThat(dispatchTestKit.task(other).error()).isEqualTo("late");
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.complete(DispatchTestKit.EU.id(), taskLeaseRef)))
        .isEqualTo(TransitionResult.STALE);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 2)).isEmpty();
  }

  /** It waits in its region or elsewhere or for its next try, or a pod holds it. */
  @Test
  void whateverIsOpenHereAndHasEndedInTheDatabaseIsEnded() {
    String delayed = dispatchTestKit.enqueue("eu", "a");
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.tryAgain(
                    DispatchTestKit.EU.id(), dispatchTestKit.claimOne(DispatchTestKit.EU), "no")))
        .isEqualTo(TransitionResult.APPLIED);
    String held = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
    String elsewhere = dispatchTestKit.enqueue("us", "a");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isEqualTo(1);
    String waiting = dispatchTestKit.enqueue("eu", "a");
    comeBackAsAnother();
    DurableTaskStore allEnded =
        new NoopTaskStore() {
          @Override
          public boolean isDurable() {
            return true;
          }

          @Override
          public List<EndedTask> ended(List<String> ids) {
            return ids.stream().map(id -> new EndedTask(id, TaskState.SUCCESS, 1, "")).toList();
          }
        };
    assertThat(
            new RedisRebuilder(
                    dispatchTestKit.redis, dispatchTestKit.scripts, allEnded, new TestSignal<>())
                .rebuildIfNeeded())
        .isTrue();
    assertThat(List.of(delayed, held, elsewhere, waiting))
        .extracting(id -> dispatchTestKit.task(id).state())
        .containsOnly(TaskState.SUCCESS);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isZero();
  }

  /** A flush during a rebuild must not leave an empty key space marked as restored. */
  @Test
  void aPlaceThatIsEmptiedDuringItsRebuildIsNotWhole() {
    AtomicInteger reads = new AtomicInteger();
    DurableTaskStore durableTaskStore =
        new Remembering(
            List.of(open("x", TaskState.PENDING, 0)),
            () -> {
              if (reads.incrementAndGet() == 2) {
                emptyThePlace();
              }
            });
    RedisRebuilder redisRebuilder =
        new RedisRebuilder(
            dispatchTestKit.redis, dispatchTestKit.scripts, durableTaskStore, new TestSignal<>());
    emptyThePlace();
    assertThat(redisRebuilder.rebuildIfNeeded()).isFalse();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(-2);
    assertThat(redisRebuilder.rebuildIfNeeded()).isTrue();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).live()).isEqualTo(1);
    dispatchTestKit.pass(DispatchTestKit.CONFIG.reporting());
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::id)
        .containsExactly("x");
    assertThat(redisRebuilder.rebuildIfNeeded()).isFalse();
    assertThat(reads).hasValue(4);
  }

  /** The key space was last compared on another server. */
  private void comeBackAsAnother() {
    String _ =
        dispatchTestKit.redis.call(
            commands -> commands.set(dispatchTestKit.keySpace.server(), "run_id:0"));
  }

  private TransitionResult renew(PodId pod, TaskLeaseRef taskLeaseRef) {
    return dispatchTestKit
        .run(
            dispatchTestKit.scripts.renew(
                pod, 1, 0, RenewResult.DrainSetting.NONE, List.of(taskLeaseRef)))
        .results()
        .getFirst();
  }

  private int adopt(OpenTask... tasks) {
    @Nullable String read =
        dispatchTestKit.redis.call(commands -> commands.get(dispatchTestKit.keySpace.generation()));
    return dispatchTestKit.run(
        dispatchTestKit.scripts.restore(read == null ? "" : read, List.of(tasks), _ -> false));
  }

  private static OpenTask open(String id, TaskState state, int attempt) {
    return open(id, state, attempt, 0, false);
  }

  /** Accepted a minute ago, pending for ten seconds; reported by Redis if it has a transition. */
  private static OpenTask open(String id, TaskState state, int attempt, long move, boolean stop) {
    return open(id, state, attempt, move, stop, Duration.ofSeconds(60));
  }

  /** Accepted so long ago; never reported by Redis. */
  private static OpenTask accepted(String id, Duration age) {
    return open(id, TaskState.PENDING, 0, 0, false, age);
  }

  private static OpenTask open(
      String id, TaskState state, int attempt, long move, boolean stop, Duration age) {
    return new OpenTask(
        id,
        "req-" + id,
        Optional.of("eu"),
        "a",
        Optional.empty(),
        "snapshot",
        DispatchTestKit.task(id, "eu", "a").spec().toString(),
        state,
        attempt,
        0,
        stop,
        move > 0,
        age,
        Duration.ofSeconds(10),
        move,
        state == TaskState.PROCESSING
            ? Optional.of(
                new OpenTask.RunningAttempt(
                    DispatchTestKit.EU.id(), Optional.of(0), Duration.ofSeconds(5)))
            : Optional.empty());
  }

  private void emptyThePlace() {
    List<String> keys =
        dispatchTestKit.redis.call(
            commands -> commands.keys(dispatchTestKit.keySpace.prefix() + "*"));
    long _ = dispatchTestKit.redis.call(commands -> commands.del(keys.toArray(String[]::new)));
    dispatchTestKit.pass(Duration.ZERO);
  }

  /** Has some open tasks, and runs an action whenever it is read. */
  private static final class Remembering extends NoopTaskStore {
    private final List<OpenTask> tasks;
    private final Runnable meanwhile;

    private Remembering(List<OpenTask> tasks, Runnable meanwhile) {
      this.tasks = tasks;
      this.meanwhile = meanwhile;
    }

    @Override
    public boolean isDurable() {
      return true;
    }

    @Override
    public List<OpenTask> open(String afterId, int limit) {
      meanwhile.run();
      return tasks.stream().filter(task -> task.id().compareTo(afterId) > 0).toList();
    }
  }
}
