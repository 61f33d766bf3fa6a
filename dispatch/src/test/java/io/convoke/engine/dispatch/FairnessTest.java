package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order of claims between channels, between regions, and near a deadline. */
class FairnessTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  /** The n-th pending task of a channel waits for at most n tasks of each other channel. */
  @Test
  void aChannelThatFloodsDelaysAnotherByOneTaskForEachOfTheOthers() {
    IntStream.range(0, 100).forEach(i -> dispatchTestKit.enqueue("eu", "flood"));
    List<Task> before = dispatchTestKit.claim(DispatchTestKit.EU, 10);
    List<String> onIdle =
        List.of(dispatchTestKit.enqueue("eu", "quiet"), dispatchTestKit.enqueue("eu", "quiet"));
    assertThat(before).hasSize(10);
    List<String> order = channels(dispatchTestKit.claim(DispatchTestKit.EU, 8));
    assertThat(order.indexOf("quiet")).isLessThanOrEqualTo(1);
    assertThat(order.lastIndexOf("quiet")).isLessThanOrEqualTo(3);
    assertThat(onIdle).allMatch(id -> dispatchTestKit.task(id).state() == TaskState.PROCESSING);
  }

  @Test
  void withinAChannelItIsTheOrderOfArrival() {
    List<String> ids =
        IntStream.range(0, 7).mapToObj(i -> dispatchTestKit.enqueue("eu", "a")).toList();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 7))
        .extracting(Task::id)
        .containsExactlyElementsOf(ids);
  }

  /** Tasks that waited longer than 10 s are claimed first, by deadline, whatever their channel. */
  @Test
  void whatOverflowedIsAtTheHeadOfItsRegionsOrder() {
    List<String> old = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      old.add(dispatchTestKit.enqueue("eu", "flood"));
      dispatchTestKit.pass(Duration.ofMillis(1));
    }
    RenewResult _ =
        dispatchTestKit.run(
            dispatchTestKit.scripts.renew(
                DispatchTestKit.EU, 10, 10, RenewResult.DrainSetting.NONE, List.of()));
    dispatchTestKit.pass(Duration.ofMillis(10_001));
    IntStream.range(0, 10).forEach(i -> dispatchTestKit.enqueue("eu", "new-" + i));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(1000)).count()).isEqualTo(10);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 8))
        .extracting(Task::id)
        .containsExactlyElementsOf(old.subList(0, 8));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 8))
        .extracting(Task::id)
        .startsWith(old.get(8), old.get(9))
        .hasSize(8);
  }

  @Test
  void whatIsGivenBackToTheHeadGoesBeforeWhatOverflowed() {
    PodId other = new PodId("pod-other", "eu");
    String back = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
    String old = dispatchTestKit.enqueue("eu", "a");
    dispatchTestKit.pass(
        DispatchTestKit.CONFIG.lease().plusMillis(1).minus(DispatchTestKit.CONFIG.taskTimeout()));
    String later = dispatchTestKit.enqueue("eu", "a");
    dispatchTestKit.pass(DispatchTestKit.CONFIG.taskTimeout());
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(1);
    RenewResult _ =
        dispatchTestKit.run(
            dispatchTestKit.scripts.renew(other, 10, 10, RenewResult.DrainSetting.NONE, List.of()));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.reclaim(10)).count()).isEqualTo(1);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(10)).count()).isEqualTo(1);
    assertThat(dispatchTestKit.task(later).lane()).isEqualTo("global:eu");
    assertThat(dispatchTestKit.claim(other, 2)).extracting(Task::id).containsExactly(back, later);
    assertThat(dispatchTestKit.task(old).state()).isEqualTo(TaskState.TIMEOUT);
  }

  /** Ten times as many tasks of one region do not delay another's beyond its share. */
  @Test
  void regionsTakeTurnsAtTheGlobalQueue() {
    IntStream.range(0, 50).forEach(i -> dispatchTestKit.enqueue("asia", "a-" + i));
    IntStream.range(0, 5).forEach(i -> dispatchTestKit.enqueue("africa", "b-" + i));
    IntStream.range(0, 5).forEach(i -> dispatchTestKit.enqueue("", "c-" + i));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(1000)).count()).isEqualTo(55);
    List<String> lanes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      dispatchTestKit.claim(DispatchTestKit.EU, 3).forEach(task -> lanes.add(task.lane()));
    }
    for (int n = 1; n <= 5; n++) {
      assertThat(lanes.subList(0, 3 * n).stream().filter("global:africa"::equals)).hasSize(n);
      assertThat(lanes.subList(0, 3 * n).stream().filter("global"::equals)).hasSize(n);
    }
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 10)).hasSize(10);
  }

  /** A region with one pending task at a time gets its share and no more. */
  @Test
  void aRegionThatComesAndGoesDoesNotPassTheOthers() {
    IntStream.range(0, 20).forEach(i -> dispatchTestKit.enqueue("asia", "a"));
    int asia = 0;
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.overflow(1000)).count()).isEqualTo(20);
    for (int i = 0; i < 10; i++) {
      String _ = dispatchTestKit.enqueue("africa", "b");
      int _ = dispatchTestKit.run(dispatchTestKit.scripts.overflow(1000)).count();
      asia +=
          (int)
              dispatchTestKit.claim(DispatchTestKit.EU, 1).stream()
                  .filter(task -> task.lane().equals("global:asia"))
                  .count();
    }
    assertThat(asia).isBetween(4, 6);
  }

  private static List<String> channels(List<Task> tasks) {
    return tasks.stream().map(Task::channel).toList();
  }
}
