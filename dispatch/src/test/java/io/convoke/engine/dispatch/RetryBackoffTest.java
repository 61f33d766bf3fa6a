package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A retried task waits 1 s, doubled with each retry, up to 30 s. */
class RetryBackoffTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  @Test
  void aTaskIsNotClaimedBeforeItIsDueAndPendingAtSaysWhenThatIs() {
    String id = dispatchTestKit.enqueue("eu", "a");
    tryAgain();
    Task task = dispatchTestKit.task(id);
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(Duration.between(task.createdAt(), task.pendingAt()))
        .isBetween(Duration.ofMillis(1000), Duration.ofMillis(1100));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    dispatchTestKit.pass(Duration.ofMillis(999));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
    dispatchTestKit.pass(Duration.ofMillis(101));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::attempt)
        .containsExactly(2);
  }

  @Test
  void eachTryWaitsTwiceAsLongAsTheOneBeforeUpToAMaximum() {
    DispatchConfig many =
        DispatchConfig.of(
            Duration.ofSeconds(30), Duration.ofSeconds(45), 9, Duration.ofSeconds(10));
    TaskScripts taskScripts =
        new TaskScripts(DispatchTestKit.MANUAL_CLOCK, dispatchTestKit.keySpace, many);
    String id = dispatchTestKit.enqueue("eu", "a");
    for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      TransitionResult _ =
          dispatchTestKit.run(
              taskScripts.tryAgain("pod-eu", dispatchTestKit.claimOne(DispatchTestKit.EU), "busy"));
      dispatchTestKit.pass(Duration.ofSeconds(seconds).minusMillis(1));
      assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
      dispatchTestKit.pass(Duration.ofMillis(1 + 100L * seconds));
    }
    assertThat(dispatchTestKit.task(id).retryCount()).isEqualTo(7);
  }

  @Test
  void theWindowBeginsWhenTheTaskIsDue() {
    String id = dispatchTestKit.enqueue("eu", "a");
    tryAgain();
    dispatchTestKit.pass(Duration.ofMillis(30_999));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isZero();
    dispatchTestKit.pass(Duration.ofMillis(102));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.expire(10)).count()).isEqualTo(1);
    assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.TIMEOUT);
  }

  @Test
  void aStopEndsItAtOnce() {
    String id = dispatchTestKit.enqueue("eu", "a");
    tryAgain();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO)).result())
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.task(id).state()).isEqualTo(TaskState.FAILED);
    assertThat(dispatchTestKit.task(id).error()).isEqualTo("stopped");
    dispatchTestKit.pass(Duration.ofSeconds(2));
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1)).isEmpty();
  }

  /** For the maintainer that wakes a parked pod when the backoff ends, and no earlier. */
  @Test
  void aTickSaysWhenTheNextTaskIsDueAndThenWakesAPod() {
    String _ =
        dispatchTestKit.redis.call(
            commands -> commands.set(dispatchTestKit.keySpace.generation(), "g"));
    String _ = dispatchTestKit.enqueue("eu", "a");
    tryAgain();
    while (dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu")) > 0) {
      String _ = dispatchTestKit.pop(dispatchTestKit.keySpace.wake("eu"));
    }
    TickResult tickResult = dispatchTestKit.run(dispatchTestKit.scripts.tick());
    assertThat(tickResult.live()).isEqualTo(1);
    assertThat(tickResult.nextDue().orElseThrow())
        .isBetween(Duration.ofMillis(1000), Duration.ofMillis(1100));
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isZero();
    dispatchTestKit.pass(tickResult.nextDue().orElseThrow());
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tick()).nextDue()).isEmpty();
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isEqualTo(1);
  }

  @Test
  void itIsCountedAmongWhatWaits() {
    String _ = dispatchTestKit.enqueue("eu", "a");
    tryAgain();
    assertThat(
            KeySpaceStats.total(List.of(dispatchTestKit.run(dispatchTestKit.scripts.stats())))
                .regions())
        .extracting(RegionStats::pending)
        .containsExactly(1L);
  }

  @Test
  void whatItsPodHandsBackIsAtTheHeadAtOnce() {
    String id = dispatchTestKit.enqueue("eu", "a");
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    String _ = dispatchTestKit.enqueue("eu", "a");
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.handBack("pod-eu", taskLeaseRef, "its pod was shut down")))
        .isEqualTo(TransitionResult.APPLIED);
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 1))
        .extracting(Task::id)
        .containsExactly(id);
  }

  @Test
  void aMaximumMayEqualTheBaseAndIsRaisedToIt() {
    Duration second = Duration.ofSeconds(1);
    assertThat(new RetryBackoff(second, second).max()).isEqualTo(second);
    assertThat(RetryBackoff.of(second, Duration.ofMillis(1)).max()).isEqualTo(second);
    assertThat(RetryBackoff.of(second, Duration.ofSeconds(9)).max()).hasSeconds(9);
  }

  @Test
  void tasksThatFailedTogetherHaveJitterOfTheirOwn() {
    assertThat(DoubleStream.generate(RetryBackoff::jitter).limit(100).distinct().boxed())
        .hasSizeGreaterThan(90)
        .allMatch(it -> it >= 0 && it < 0.1);
  }

  private void tryAgain() {
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.tryAgain(
                    "pod-eu", dispatchTestKit.claimOne(DispatchTestKit.EU), "busy")))
        .isEqualTo(TransitionResult.APPLIED);
  }
}
