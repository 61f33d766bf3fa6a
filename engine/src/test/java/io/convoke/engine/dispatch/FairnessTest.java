package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who goes first: between channels, between regions, and near a deadline. */
class FairnessTest {
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** A channel's n-th waiting task waits for at most n tasks of each other channel. */
  @Test
  void aChannelThatFloodsDelaysAnotherByOneTaskForEachOfTheOthers() {
    IntStream.range(0, 100).forEach(i -> kit.enqueue("eu", "flood"));
    List<Task> before = kit.claim(Kit.EU, 10);
    List<String> quiet = List.of(kit.enqueue("eu", "quiet"), kit.enqueue("eu", "quiet"));
    assertThat(before).hasSize(10);
    List<String> order = channels(kit.claim(Kit.EU, 8));
    assertThat(order.indexOf("quiet")).isLessThanOrEqualTo(1);
    assertThat(order.lastIndexOf("quiet")).isLessThanOrEqualTo(3);
    assertThat(quiet).allMatch(id -> kit.task(id).state() == TaskState.PROCESSING);
  }

  @Test
  void withinAChannelItIsTheOrderOfArrival() {
    List<String> ids = IntStream.range(0, 7).mapToObj(i -> kit.enqueue("eu", "a")).toList();
    assertThat(kit.claim(Kit.EU, 7)).extracting(Task::id).containsExactlyElementsOf(ids);
  }

  /**
   * Seed 004's window: what waited longer than 10 s goes first, oldest first, whatever its channel.
   */
  @Test
  void whatOverflowedIsAtTheHeadOfItsRegionsOrder() {
    List<String> old = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      old.add(kit.enqueue("eu", "flood"));
      kit.pass(Duration.ofMillis(1));
    }
    Renewed _ = kit.run(kit.functions.renew(Kit.EU, 10, 10, List.of()));
    kit.pass(Duration.ofMillis(10_001));
    IntStream.range(0, 10).forEach(i -> kit.enqueue("eu", "new-" + i));
    assertThat(kit.run(kit.functions.overflow(1000)).count()).isEqualTo(10);
    assertThat(kit.claim(Kit.EU, 8))
        .extracting(Task::id)
        .containsExactlyElementsOf(old.subList(0, 8));
    assertThat(kit.claim(Kit.EU, 8))
        .extracting(Task::id)
        .startsWith(old.get(8), old.get(9))
        .hasSize(8);
  }

  @Test
  void whatIsGivenBackToTheHeadGoesBeforeWhatOverflowed() {
    PodName other = new PodName("pod-other", "eu");
    String back = kit.enqueue("eu", "a");
    Held _ = kit.claimOne(Kit.EU);
    String old = kit.enqueue("eu", "a");
    kit.pass(Kit.TERMS.lease().plusMillis(1).minus(Kit.TERMS.taskTimeout()));
    String later = kit.enqueue("eu", "a");
    kit.pass(Kit.TERMS.taskTimeout());
    assertThat(kit.run(kit.functions.expire(10)).count()).isEqualTo(1);
    Renewed _ = kit.run(kit.functions.renew(other, 10, 10, List.of()));
    assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
    assertThat(kit.run(kit.functions.overflow(10)).count()).isEqualTo(1);
    assertThat(kit.task(later).lane()).isEqualTo("global:eu");
    assertThat(kit.claim(other, 2)).extracting(Task::id).containsExactly(back, later);
    assertThat(kit.task(old).state()).isEqualTo(TaskState.TIMEOUT);
  }

  /** Ten times as many tasks of one region do not delay another's beyond its share. */
  @Test
  void regionsTakeTurnsAtTheGlobalQueue() {
    IntStream.range(0, 50).forEach(i -> kit.enqueue("asia", "a-" + i));
    IntStream.range(0, 5).forEach(i -> kit.enqueue("africa", "b-" + i));
    IntStream.range(0, 5).forEach(i -> kit.enqueue("", "c-" + i));
    assertThat(kit.run(kit.functions.overflow(1000)).count()).isEqualTo(55);
    List<String> lanes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      kit.claim(Kit.EU, 3).forEach(task -> lanes.add(task.lane()));
    }
    for (int n = 1; n <= 5; n++) {
      assertThat(lanes.subList(0, 3 * n).stream().filter("global:africa"::equals)).hasSize(n);
      assertThat(lanes.subList(0, 3 * n).stream().filter("global"::equals)).hasSize(n);
    }
    assertThat(kit.claim(Kit.EU, 10)).hasSize(10);
  }

  /** A region that always has just one task waiting gets its share and no more. */
  @Test
  void aRegionThatComesAndGoesDoesNotPassTheOthers() {
    IntStream.range(0, 20).forEach(i -> kit.enqueue("asia", "a"));
    int asia = 0;
    assertThat(kit.run(kit.functions.overflow(1000)).count()).isEqualTo(20);
    for (int i = 0; i < 10; i++) {
      String _ = kit.enqueue("africa", "b");
      int _ = kit.run(kit.functions.overflow(1000)).count();
      asia +=
          (int)
              kit.claim(Kit.EU, 1).stream()
                  .filter(task -> task.lane().equals("global:asia"))
                  .count();
    }
    assertThat(asia).isBetween(4, 6);
  }

  private static List<String> channels(List<Task> tasks) {
    return tasks.stream().map(Task::channel).toList();
  }
}
