package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.QueueLoadModel.Arrivals;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No task times out that plain first in, first out would have served in time. */
@Tag("nightly")
class PlainOrderTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();
  private final QueueLoadModel queueLoadModel = new QueueLoadModel(dispatchTestKit);

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  /**
   * Ten slots, tasks of 1 s: the burst takes 13 s, and one slot in ten is free for it after that.
   */
  @Test
  void aBurstBeforeASteadyLoadLosesNothing() {
    queueLoadModel.arrive(new Arrivals("eu", i -> "room-" + i, 130, 9));
    queueLoadModel.serve(DispatchTestKit.EU, 10);
    queueLoadModel.run(Duration.ofSeconds(60));
    assertThat(queueLoadModel.timedOut()).isEmpty();
    assertThat(queueLoadModel.longestWait()).isLessThanOrEqualTo(Duration.ofSeconds(14));
  }

  /** The turns of channels let the steady load pass the burst for 10 s at most. */
  @Test
  void neitherDoesABurstOfOneChannelBesideOthers() {
    queueLoadModel.arrive(new Arrivals("eu", i -> i < 130 ? "burst" : "room-" + i, 130, 9));
    queueLoadModel.serve(DispatchTestKit.EU, 10);
    queueLoadModel.run(Duration.ofSeconds(60));
    assertThat(queueLoadModel.timedOut()).isEmpty();
  }

  @Test
  void neitherDoesABurstOfSeveralTypesOnTwentySlots() {
    queueLoadModel.types(List.of("record", "snapshot", "stream"));
    queueLoadModel.arrive(new Arrivals("eu", i -> "room-" + i % 40, 300, 19));
    queueLoadModel.serve(DispatchTestKit.EU, 20);
    queueLoadModel.run(Duration.ofSeconds(60));
    assertThat(queueLoadModel.timedOut()).isEmpty();
  }

  /** Together they equal the capacity of the slots. */
  @Test
  void tasksOfNoRegionAreServedBesideARegionWithABurst() {
    queueLoadModel.arrive(new Arrivals("eu", i -> "room-" + i, 100, 6));
    queueLoadModel.arrive(new Arrivals("", i -> "other-" + i, 100, 3));
    queueLoadModel.serve(DispatchTestKit.EU, 10);
    queueLoadModel.run(Duration.ofSeconds(90));
    assertThat(queueLoadModel.timedOut()).isEmpty();
  }

  /** The region alone submits twice the capacity of its slots throughout. */
  @Test
  void tasksOfNoRegionHaveAShareBesideARegionThatIsFull() {
    queueLoadModel.arrive(new Arrivals("eu", i -> "room-" + i, 100, 20));
    queueLoadModel.arrive(new Arrivals("", i -> "other-" + i, 0, 2));
    queueLoadModel.serve(DispatchTestKit.EU, 10);
    queueLoadModel.run(Duration.ofSeconds(60));
    assertThat(queueLoadModel.timedOut()).isNotEmpty().allMatch(id -> id.startsWith("eu"));
    assertThat(queueLoadModel.longestWaitOf("global")).isLessThanOrEqualTo(Duration.ofSeconds(2));
  }

  /** An overloaded region does not take slots of a region with enough tasks of its own. */
  @Test
  void aRegionThatIsFullDelaysNoOther() {
    queueLoadModel.arrive(new Arrivals("eu", i -> "room-" + i, 100, 30));
    queueLoadModel.arrive(new Arrivals("us", i -> "other-" + i, 0, 9));
    queueLoadModel.serve(DispatchTestKit.EU, 10);
    queueLoadModel.serve(DispatchTestKit.US, 10);
    queueLoadModel.run(Duration.ofSeconds(60));
    assertThat(queueLoadModel.timedOut()).isNotEmpty().allMatch(id -> id.startsWith("eu"));
    assertThat(queueLoadModel.longestWaitOf("us")).isLessThanOrEqualTo(Duration.ofSeconds(2));
  }
}
