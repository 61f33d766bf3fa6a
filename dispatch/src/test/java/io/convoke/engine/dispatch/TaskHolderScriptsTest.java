package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Reports of a task's holder: renew, complete, fail, try again. */
class TaskHolderScriptsTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  /** renew.lua. */
  @Nested
  class Renewal {
    @Test
    void oneCallExtendsAllLeasesThatAreStillThePods() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      String _ = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef first = dispatchTestKit.claimOne(DispatchTestKit.EU);
      TaskLeaseRef second = dispatchTestKit.claimOne(DispatchTestKit.EU);
      dispatchTestKit.pass(Duration.ofSeconds(15));
      TaskLeaseRef stale = new TaskLeaseRef(second.id(), "0.0");
      TaskLeaseRef unknown = new TaskLeaseRef("nothing", "1.0");
      RenewResult renewResult = renew(List.of(first, stale, unknown));
      assertThat(renewResult.results())
          .containsExactly(
              TransitionResult.APPLIED, TransitionResult.STALE, TransitionResult.UNKNOWN);
      Task task = dispatchTestKit.task(first.id());
      assertThat(task.leaseExpiry()).contains(task.createdAt().plusSeconds(60));
      assertThat(dispatchTestKit.task(second.id()).leaseExpiry())
          .contains(task.createdAt().plusSeconds(45));
    }

    @Test
    void itTellsWhatIsToStop() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      assertThat(renew(List.of()).stop()).isEmpty();
      StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO));
      assertThat(renew(List.of(taskLeaseRef)).stop()).containsExactly(id);
      assertThat(renew(List.of()).stop()).containsExactly(id);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(renew(List.of()).stop()).isEmpty();
    }

    private RenewResult renew(List<TaskLeaseRef> held) {
      return dispatchTestKit.run(
          dispatchTestKit.scripts.renew(
              DispatchTestKit.EU, 10, 8, RenewResult.DrainSetting.NONE, held));
    }
  }

  /** complete.lua. */
  @Nested
  class Completion {
    @Test
    void eachOfManyInOneCallGetsItsOwnResult() {
      String first = dispatchTestKit.enqueue("eu", "a");
      String second = dispatchTestKit.enqueue("eu", "b");
      List<TaskLeaseRef> held =
          dispatchTestKit.claim(DispatchTestKit.EU, 2).stream()
              .map(task -> new TaskLeaseRef(task.id(), task.fence()))
              .toList();
      StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop(second, Duration.ZERO));
      List<TransitionResult> words =
          dispatchTestKit.run(
              dispatchTestKit.scripts.complete(
                  "pod-eu",
                  List.of(
                      held.get(0),
                      held.get(1),
                      held.get(0),
                      new TaskLeaseRef(second, "7.0"),
                      new TaskLeaseRef("nobody", "1.0"))));
      assertThat(words)
          .containsExactly(
              TransitionResult.APPLIED,
              TransitionResult.APPLIED,
              TransitionResult.REPEATED,
              TransitionResult.STALE,
              TransitionResult.UNKNOWN);
      assertThat(List.of(dispatchTestKit.task(first), dispatchTestKit.task(second)))
          .extracting(Task::state)
          .containsOnly(TaskState.SUCCESS);
      assertThat(dispatchTestKit.outbox()).filteredOn(move -> move.contains("SUCCESS")).hasSize(2);
      assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.own("leases:pod-eu"))).isZero();
    }

    @Test
    void endsTheTaskOnceAndKeepsItFor48Hours() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      dispatchTestKit.pass(Duration.ofSeconds(3));
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
          .isEqualTo(TransitionResult.REPEATED);
      assertThat(
              dispatchTestKit.run(dispatchTestKit.scripts.fail("pod-eu", taskLeaseRef, "too late")))
          .isEqualTo(TransitionResult.REPEATED);
      Task task = dispatchTestKit.task(id);
      assertThat(task.state()).isEqualTo(TaskState.SUCCESS);
      assertThat(task.completedAt()).contains(task.createdAt().plusSeconds(3));
      assertThat(task.leaseExpiry()).isEmpty();
      assertThat(dispatchTestKit.ttl(dispatchTestKit.keySpace.task(id)))
          .isBetween(172_790L, 172_800L);
      assertThat(dispatchTestKit.outbox())
          .containsExactly(id + " PENDING 0", id + " PROCESSING 1", id + " SUCCESS 1");
    }

    @Test
    void isTheHoldersAlone() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-us", taskLeaseRef)))
          .isEqualTo(TransitionResult.STALE);
      assertThat(
              dispatchTestKit.run(
                  dispatchTestKit.scripts.complete("pod-eu", new TaskLeaseRef(id, "2.0"))))
          .isEqualTo(TransitionResult.STALE);
      assertThat(
              dispatchTestKit.run(
                  dispatchTestKit.scripts.complete("pod-eu", new TaskLeaseRef("nothing", "1.0"))))
          .isEqualTo(TransitionResult.UNKNOWN);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.PROCESSING);
    }
  }

  /** fail.lua (dispatch-5). */
  @Nested
  class Failure {
    @Test
    void isForGood() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      assertThat(
              dispatchTestKit.run(
                  dispatchTestKit.scripts.fail("pod-eu", taskLeaseRef, "wrong access_token")))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.FAILED);
      assertThat(dispatchTestKit.task(id).error()).isEqualTo("wrong access_token");
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    }

    /** From a pod of an earlier release; Postgres cannot store U+0000. */
    @Test
    void aReasonReachesTheDatabaseWithoutNul() {
      String _ = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      assertThat(
              dispatchTestKit.run(dispatchTestKit.scripts.fail("pod-eu", taskLeaseRef, "a\0b|c")))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.moves().getLast().error()).isEqualTo("a\uFFFDb|c");
    }

    @Test
    void afterAStopIsTheEndThatWasWanted() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO));
      assertThat(
              dispatchTestKit.run(dispatchTestKit.scripts.fail("pod-eu", taskLeaseRef, "killed")))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.SUCCESS);
    }
  }

  /** retry.lua. */
  @Nested
  class AnotherTry {
    @Test
    void waitsForItsTurnWithAFreshWindow() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      String other = dispatchTestKit.enqueue("eu", "a");
      dispatchTestKit.pass(Duration.ofSeconds(29));
      assertThat(
              dispatchTestKit.run(dispatchTestKit.scripts.tryAgain("pod-eu", taskLeaseRef, "busy")))
          .isEqualTo(TransitionResult.APPLIED);
      Task task = dispatchTestKit.task(id);
      assertThat(task.state()).isEqualTo(TaskState.PENDING);
      assertThat(Duration.between(task.createdAt(), task.pendingAt()))
          .isBetween(Duration.ofSeconds(30), Duration.ofMillis(30_100));
      assertThat(task.retryCount()).isEqualTo(1);
      assertThat(task.podId()).isEmpty();
      assertThat(
              dispatchTestKit.run(dispatchTestKit.scripts.tryAgain("pod-eu", taskLeaseRef, "busy")))
          .isEqualTo(TransitionResult.STALE);
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 2))
          .extracting(Task::id)
          .containsExactly(other);
      dispatchTestKit.pass(Duration.ofMillis(1100));
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
          .extracting(Task::attempt)
          .containsExactly(2);
    }

    @Test
    void isGivenSoOftenAsItMayBeAndThenFails() {
      String id = dispatchTestKit.enqueue("eu", "a");
      for (int attempt = 1; attempt <= 5; attempt++) {
        assertThat(
                dispatchTestKit.run(
                    dispatchTestKit.scripts.tryAgain(
                        "pod-eu", dispatchTestKit.claimOne(DispatchTestKit.EU), "busy")))
            .isEqualTo(TransitionResult.APPLIED);
        dispatchTestKit.pass(Duration.ofSeconds(9));
      }
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.FAILED);
      assertThat(dispatchTestKit.task(id).error()).isEqualTo("gave up after 5 attempts: busy");
    }

    @Test
    void afterAStopIsTheEnd() {
      String id = dispatchTestKit.enqueue("eu", "a");
      TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
      StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO));
      assertThat(
              dispatchTestKit.run(dispatchTestKit.scripts.tryAgain("pod-eu", taskLeaseRef, "busy")))
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.SUCCESS);
    }
  }
}
