package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** claim.lua: PENDING -> PROCESSING. */
class ClaimTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  @Test
  void oneCallFillsAllFreeSlotsAndEachTaskGetsOne() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(dispatchTestKit.enqueue("eu", "alpha"));
    }
    dispatchTestKit.pass(Duration.ofSeconds(1));
    ClaimResult claimResult =
        dispatchTestKit.run(
            dispatchTestKit.scripts.claim(
                DispatchTestKit.EU, 4, List.of(0, 2, 3), PodCapacity.COUNT_ONLY, 1));
    assertThat(claimResult.more()).isTrue();
    assertThat(claimResult.tasks())
        .extracting(Task::id)
        .containsExactlyElementsOf(ids.subList(0, 3));
    assertThat(claimResult.tasks())
        .extracting(task -> task.workerId().orElseThrow())
        .containsExactly(0, 2, 3);
    Task task = dispatchTestKit.task(ids.getFirst());
    assertThat(task.state()).isEqualTo(TaskState.PROCESSING);
    assertThat(task.attempt()).isEqualTo(1);
    assertThat(task.podId()).contains("pod-eu");
    assertThat(task.processedAt()).contains(task.createdAt().plusSeconds(1));
    assertThat(task.leaseExpiry()).contains(task.createdAt().plusSeconds(46));
    assertThat(claimResult.tasks().getFirst()).isEqualTo(task);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9)).hasSize(2);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9)).isEmpty();
  }

  @Test
  void itsOwnRegionComesBeforeTheGlobalQueueAndAnotherRegionNever() {
    String global = dispatchTestKit.enqueue("", "alpha");
    String eu = dispatchTestKit.enqueue("eu", "alpha");
    String us = dispatchTestKit.enqueue("us", "alpha");
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::id)
        .containsExactly(eu);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9))
        .extracting(Task::id)
        .containsExactly(global);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9)).isEmpty();
    assertThat(dispatchTestKit.claim(DispatchTestKit.US, 9))
        .extracting(Task::id)
        .containsExactly(us);
  }

  /** A task older than 30 s becomes TIMEOUT without any sweep (dispatch-2, dispatch-3). */
  @Test
  void aTaskThatWaitedLongerThanItMayIsMarkedAndNotGiven() {
    String late = dispatchTestKit.enqueue("eu", "alpha");
    dispatchTestKit.pass(Duration.ofMillis(1));
    String onTime = dispatchTestKit.enqueue("eu", "alpha");
    dispatchTestKit.pass(Duration.ofSeconds(30));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9))
        .extracting(Task::id)
        .containsExactly(onTime);
    Task task = dispatchTestKit.task(late);
    assertThat(task.state()).isEqualTo(TaskState.TIMEOUT);
    assertThat(task.completedAt()).contains(task.createdAt().plusMillis(30_001));
    assertThat(task.attempt()).isZero();
  }

  @Test
  void capacityIsByCostAsWellAsByCount() {
    PodCapacity podCapacity = DispatchTestKit.capacity(4, Map.of("record", 3.0, "snapshot", 1.0));
    for (String id : List.of("record-1", "snapshot-1", "record-2", "snapshot-2")) {
      EnqueueResult _ =
          dispatchTestKit.run(
              dispatchTestKit.scripts.enqueue(DispatchTestKit.typed(id, id.replaceAll("-.*", ""))));
    }
    List<Integer> slots = List.of(0, 1, 2, 3);
    assertThat(
            dispatchTestKit
                .run(dispatchTestKit.scripts.claim(DispatchTestKit.EU, 4, slots, podCapacity, 4))
                .tasks())
        .extracting(Task::id)
        .containsExactly("record-1", "snapshot-1");
    // A task that does not fit yet keeps its position; smaller ones do not pass it.
    assertThat(
            dispatchTestKit
                .run(dispatchTestKit.scripts.claim(DispatchTestKit.EU, 4, slots, podCapacity, 1))
                .tasks())
        .isEmpty();
    assertThat(
            dispatchTestKit
                .run(dispatchTestKit.scripts.claim(DispatchTestKit.EU, 4, slots, podCapacity, 4))
                .tasks())
        .extracting(Task::id)
        .containsExactly("record-2", "snapshot-2");
  }

  @Test
  void aPodThatNamesItsTypesStepsOverTheOthers() {
    for (String id : List.of("record-1", "whip-1", "snapshot-1")) {
      EnqueueResult _ =
          dispatchTestKit.run(
              dispatchTestKit.scripts.enqueue(DispatchTestKit.typed(id, id.replaceAll("-.*", ""))));
    }
    PodCapacity small = DispatchTestKit.capacity(1, Map.of("record", 3.0, "snapshot", 1.0));
    ClaimResult claimResult =
        dispatchTestKit.run(
            dispatchTestKit.scripts.claim(DispatchTestKit.EU, 4, List.of(0, 1), small, 1));
    assertThat(claimResult.tasks()).extracting(Task::id).containsExactly("snapshot-1");
    assertThat(claimResult.more()).isTrue();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9))
        .extracting(Task::id)
        .containsExactly("record-1", "whip-1");
  }

  @Test
  void waitingTasksOfOtherTypesHideNoneThatThePodTakes() {
    for (int i = 0; i < 40; i++) {
      EnqueueResult _ =
          dispatchTestKit.run(
              dispatchTestKit.scripts.enqueue(DispatchTestKit.typed("record-" + i, "record")));
    }
    EnqueueResult _ =
        dispatchTestKit.run(
            dispatchTestKit.scripts.enqueue(DispatchTestKit.typed("snapshot-1", "snapshot")));
    PodCapacity snapshots = DispatchTestKit.capacity(1, Map.of("snapshot", 0.0));
    assertThat(
            dispatchTestKit
                .run(dispatchTestKit.scripts.claim(DispatchTestKit.EU, 4, List.of(0), snapshots, 1))
                .tasks())
        .extracting(Task::id)
        .containsExactly("snapshot-1");
  }

  @Test
  void manyTypesAreTakenInOneOrderAndTheirLanesAreForgotten() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      ids.add("t" + i);
      EnqueueResult _ =
          dispatchTestKit.run(
              dispatchTestKit.scripts.enqueue(DispatchTestKit.typed("t" + i, "type-" + i)));
      dispatchTestKit.pass(Duration.ofMillis(1));
    }
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 10))
        .extracting(Task::id)
        .containsExactlyElementsOf(ids.subList(0, 10));
    dispatchTestKit.pass(Duration.ofMillis(29_979));
    // The first forty are past their deadline by now, and no sweep has marked them.
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 10))
        .extracting(Task::id)
        .containsExactlyElementsOf(ids.subList(39, 49));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 10)).hasSize(10);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 10)).hasSize(1);
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.own("heads:eu"))).isZero();
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.queue("eu"))).isZero();
  }

  @Test
  void whoFindsMoreThanItTakesWakesTheNext() {
    String _ = dispatchTestKit.enqueue("eu", "alpha");
    String _ = dispatchTestKit.enqueue("eu", "alpha");
    takeToken();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).hasSize(1);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isEqualTo(1);
    takeToken();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).hasSize(1);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isZero();
  }

  /** Before and after the pod knows. */
  @Test
  void whoIsToDrainGetsNothingUntilItMayTakeAgain() {
    String first = dispatchTestKit.enqueue("eu", "alpha");
    String second = dispatchTestKit.enqueue("", "alpha");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.drain("pod-eu", true)))
        .isEqualTo(TransitionResult.UNKNOWN);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::id)
        .containsExactly(first);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.drain("pod-eu", true)))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9)).isEmpty();
    assertThat(dispatchTestKit.claim(DispatchTestKit.US, 1))
        .extracting(Task::id)
        .containsExactly(second);
    String third = dispatchTestKit.enqueue("eu", "alpha");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.drain("pod-eu", false)))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 9))
        .extracting(Task::id)
        .containsExactly(third);
  }

  @Test
  void anIdWithoutATaskIsDropped() {
    String id = dispatchTestKit.enqueue("eu", "alpha");
    long _ =
        dispatchTestKit.redis.call(commands -> commands.del(dispatchTestKit.keySpace.task(id)));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.queue("eu"))).isZero();
  }

  private void takeToken() {
    assertThat(dispatchTestKit.pop(dispatchTestKit.keySpace.wake("eu"))).isEqualTo("1");
  }
}
