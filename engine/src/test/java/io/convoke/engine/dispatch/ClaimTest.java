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
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void oneCallFillsAllFreeSlotsAndEachTaskGetsOne() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(kit.enqueue("eu", "alpha"));
    }
    kit.pass(Duration.ofSeconds(1));
    Claimed claimed =
        kit.run(kit.functions.claim(Kit.EU, 4, List.of(0, 2, 3), Capacity.COUNT_ONLY, 1));
    assertThat(claimed.more()).isTrue();
    assertThat(claimed.tasks()).extracting(Task::id).containsExactlyElementsOf(ids.subList(0, 3));
    assertThat(claimed.tasks())
        .extracting(task -> task.workerId().orElseThrow())
        .containsExactly(0, 2, 3);
    Task task = kit.task(ids.getFirst());
    assertThat(task.state()).isEqualTo(TaskState.PROCESSING);
    assertThat(task.attempt()).isEqualTo(1);
    assertThat(task.podId()).contains("pod-eu");
    assertThat(task.processedAt()).contains(task.createdAt().plusSeconds(1));
    assertThat(task.leaseExpiry()).contains(task.createdAt().plusSeconds(46));
    assertThat(claimed.tasks().getFirst()).isEqualTo(task);
    assertThat(kit.claim(Kit.EU, 9)).hasSize(2);
    assertThat(kit.claim(Kit.EU, 9)).isEmpty();
  }

  @Test
  void itsOwnRegionComesBeforeTheGlobalQueueAndAnotherRegionNever() {
    String global = kit.enqueue("", "alpha");
    String eu = kit.enqueue("eu", "alpha");
    String us = kit.enqueue("us", "alpha");
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly(eu);
    assertThat(kit.claim(Kit.EU, 9)).extracting(Task::id).containsExactly(global);
    assertThat(kit.claim(Kit.EU, 9)).isEmpty();
    assertThat(kit.claim(Kit.US, 9)).extracting(Task::id).containsExactly(us);
  }

  /** Seed 004, "Race Condition Prevention": older than 30 s is TIMEOUT, even if nobody cleans. */
  @Test
  void aTaskThatWaitedLongerThanItMayIsMarkedAndNotGiven() {
    String late = kit.enqueue("eu", "alpha");
    kit.pass(Duration.ofMillis(1));
    String onTime = kit.enqueue("eu", "alpha");
    kit.pass(Duration.ofSeconds(30));
    assertThat(kit.claim(Kit.EU, 9)).extracting(Task::id).containsExactly(onTime);
    Task task = kit.task(late);
    assertThat(task.state()).isEqualTo(TaskState.TIMEOUT);
    assertThat(task.completedAt()).contains(task.createdAt().plusMillis(30_001));
    assertThat(task.attempt()).isZero();
  }

  @Test
  void capacityIsByCostAsWellAsByCount() {
    Capacity capacity = Kit.capacity(4, Map.of("record", 3.0, "snapshot", 1.0));
    for (String id : List.of("record-1", "snapshot-1", "record-2", "snapshot-2")) {
      Enqueued _ = kit.run(kit.functions.enqueue(Kit.typed(id, id.replaceAll("-.*", ""))));
    }
    List<Integer> slots = List.of(0, 1, 2, 3);
    assertThat(kit.run(kit.functions.claim(Kit.EU, 4, slots, capacity, 4)).tasks())
        .extracting(Task::id)
        .containsExactly("record-1", "snapshot-1");
    // What does not fit yet keeps its place: nothing smaller passes it for ever.
    assertThat(kit.run(kit.functions.claim(Kit.EU, 4, slots, capacity, 1)).tasks()).isEmpty();
    assertThat(kit.run(kit.functions.claim(Kit.EU, 4, slots, capacity, 4)).tasks())
        .extracting(Task::id)
        .containsExactly("record-2", "snapshot-2");
  }

  @Test
  void aPodThatNamesItsTypesStepsOverTheOthers() {
    for (String id : List.of("record-1", "whip-1", "snapshot-1")) {
      Enqueued _ = kit.run(kit.functions.enqueue(Kit.typed(id, id.replaceAll("-.*", ""))));
    }
    Capacity small = Kit.capacity(1, Map.of("record", 3.0, "snapshot", 1.0));
    Claimed claimed = kit.run(kit.functions.claim(Kit.EU, 4, List.of(0, 1), small, 1));
    assertThat(claimed.tasks()).extracting(Task::id).containsExactly("snapshot-1");
    assertThat(claimed.more()).isTrue();
    assertThat(kit.claim(Kit.EU, 9)).extracting(Task::id).containsExactly("record-1", "whip-1");
  }

  @Test
  void waitingTasksOfOtherTypesHideNoneThatThePodTakes() {
    for (int i = 0; i < 40; i++) {
      Enqueued _ = kit.run(kit.functions.enqueue(Kit.typed("record-" + i, "record")));
    }
    Enqueued _ = kit.run(kit.functions.enqueue(Kit.typed("snapshot-1", "snapshot")));
    Capacity snapshots = Kit.capacity(1, Map.of("snapshot", 0.0));
    assertThat(kit.run(kit.functions.claim(Kit.EU, 4, List.of(0), snapshots, 1)).tasks())
        .extracting(Task::id)
        .containsExactly("snapshot-1");
  }

  @Test
  void manyTypesAreTakenInOneOrderAndTheirLanesAreForgotten() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      ids.add("t" + i);
      Enqueued _ = kit.run(kit.functions.enqueue(Kit.typed("t" + i, "type-" + i)));
      kit.pass(Duration.ofMillis(1));
    }
    assertThat(kit.claim(Kit.EU, 10))
        .extracting(Task::id)
        .containsExactlyElementsOf(ids.subList(0, 10));
    kit.pass(Duration.ofMillis(29_979));
    // Those up to the fortieth are late by now; nothing has marked them.
    assertThat(kit.claim(Kit.EU, 10))
        .extracting(Task::id)
        .containsExactlyElementsOf(ids.subList(39, 49));
    assertThat(kit.claim(Kit.EU, 10)).hasSize(10);
    assertThat(kit.claim(Kit.EU, 10)).hasSize(1);
    assertThat(kit.size(kit.place.own("heads:eu"))).isZero();
    assertThat(kit.size(kit.place.queue("eu"))).isZero();
  }

  @Test
  void whoFindsMoreThanItTakesWakesTheNext() {
    String _ = kit.enqueue("eu", "alpha");
    String _ = kit.enqueue("eu", "alpha");
    takeToken();
    assertThat(kit.claim(Kit.EU, 1)).hasSize(1);
    assertThat(kit.length(kit.place.wake("eu"))).isEqualTo(1);
    takeToken();
    assertThat(kit.claim(Kit.EU, 1)).hasSize(1);
    assertThat(kit.length(kit.place.wake("eu"))).isZero();
  }

  /** Whether it has heard of it or not. */
  @Test
  void whoIsToDrainGetsNothingUntilItMayTakeAgain() {
    String first = kit.enqueue("eu", "alpha");
    String second = kit.enqueue("", "alpha");
    assertThat(kit.run(kit.functions.drain("pod-eu", true))).isEqualTo(Word.UNKNOWN);
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly(first);
    assertThat(kit.run(kit.functions.drain("pod-eu", true))).isEqualTo(Word.APPLIED);
    assertThat(kit.claim(Kit.EU, 9)).isEmpty();
    assertThat(kit.claim(Kit.US, 1)).extracting(Task::id).containsExactly(second);
    String third = kit.enqueue("eu", "alpha");
    assertThat(kit.run(kit.functions.drain("pod-eu", false))).isEqualTo(Word.APPLIED);
    assertThat(kit.claim(Kit.EU, 9)).extracting(Task::id).containsExactly(third);
  }

  @Test
  void anIdWithoutATaskIsDropped() {
    String id = kit.enqueue("eu", "alpha");
    long _ = kit.redis.call(commands -> commands.del(kit.place.task(id)));
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    assertThat(kit.size(kit.place.queue("eu"))).isZero();
  }

  private void takeToken() {
    assertThat(kit.pop(kit.place.wake("eu"))).isEqualTo("1");
  }
}
