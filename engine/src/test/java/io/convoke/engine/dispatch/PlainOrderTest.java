package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Rush.Arrivals;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No task times out that plain first in, first out would have served in time. */
class PlainOrderTest {
  private final Kit kit = new Kit();
  private final Rush rush = new Rush(kit);

  @AfterEach
  void close() {
    kit.close();
  }

  /**
   * Ten slots, tasks of 1 s: the burst takes 13 s, and one slot in ten is free for it after that.
   */
  @Test
  void aBurstBeforeASteadyLoadLosesNothing() {
    rush.arrive(new Arrivals("eu", i -> "room-" + i, 130, 9));
    rush.serve(Kit.EU, 10);
    rush.run(Duration.ofSeconds(60));
    assertThat(rush.timedOut()).isEmpty();
    assertThat(rush.longestWait()).isLessThanOrEqualTo(Duration.ofSeconds(14));
  }

  /** The turns of channels let the steady load pass the burst, but not for longer than 10 s. */
  @Test
  void neitherDoesABurstOfOneChannelBesideOthers() {
    rush.arrive(new Arrivals("eu", i -> i < 130 ? "burst" : "room-" + i, 130, 9));
    rush.serve(Kit.EU, 10);
    rush.run(Duration.ofSeconds(60));
    assertThat(rush.timedOut()).isEmpty();
  }

  @Test
  void neitherDoesABurstOfSeveralTypesOnTwentySlots() {
    rush.types(List.of("record", "snapshot", "stream"));
    rush.arrive(new Arrivals("eu", i -> "room-" + i % 40, 300, 19));
    rush.serve(Kit.EU, 20);
    rush.run(Duration.ofSeconds(60));
    assertThat(rush.timedOut()).isEmpty();
  }

  /** Together they are what the slots can serve. */
  @Test
  void tasksOfNoRegionAreServedBesideARegionWithABurst() {
    rush.arrive(new Arrivals("eu", i -> "room-" + i, 100, 6));
    rush.arrive(new Arrivals("", i -> "other-" + i, 100, 3));
    rush.serve(Kit.EU, 10);
    rush.run(Duration.ofSeconds(90));
    assertThat(rush.timedOut()).isEmpty();
  }

  /** The region alone brings twice what its slots can serve, for as long as this runs. */
  @Test
  void tasksOfNoRegionHaveAShareBesideARegionThatIsFull() {
    rush.arrive(new Arrivals("eu", i -> "room-" + i, 100, 20));
    rush.arrive(new Arrivals("", i -> "other-" + i, 0, 2));
    rush.serve(Kit.EU, 10);
    rush.run(Duration.ofSeconds(60));
    assertThat(rush.timedOut()).isNotEmpty().allMatch(id -> id.startsWith("eu"));
    assertThat(rush.longestWaitOf("global")).isLessThanOrEqualTo(Duration.ofSeconds(2));
  }

  /** A region with too much to do does not take the slots of one that has enough of its own. */
  @Test
  void aRegionThatIsFullDelaysNoOther() {
    rush.arrive(new Arrivals("eu", i -> "room-" + i, 100, 30));
    rush.arrive(new Arrivals("us", i -> "other-" + i, 0, 9));
    rush.serve(Kit.EU, 10);
    rush.serve(Kit.US, 10);
    rush.run(Duration.ofSeconds(60));
    assertThat(rush.timedOut()).isNotEmpty().allMatch(id -> id.startsWith("eu"));
    assertThat(rush.longestWaitOf("us")).isLessThanOrEqualTo(Duration.ofSeconds(2));
  }
}
