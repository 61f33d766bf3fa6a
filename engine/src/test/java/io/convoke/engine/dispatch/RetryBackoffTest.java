package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task that its pod wants to be tried again waits 1 s, doubled with each try, up to 30 s. */
class RetryBackoffTest {
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void aTaskIsNotClaimedBeforeItIsDueAndPendingAtSaysWhenThatIs() {
    String id = kit.enqueue("eu", "a");
    tryAgain();
    Task task = kit.task(id);
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(Duration.between(task.createdAt(), task.pendingAt()))
        .isBetween(Duration.ofMillis(1000), Duration.ofMillis(1100));
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    kit.pass(Duration.ofMillis(999));
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    kit.pass(Duration.ofMillis(101));
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(2);
  }

  @Test
  void eachTryWaitsTwiceAsLongAsTheOneBeforeUpToAMaximum() {
    DispatchTerms many =
        DispatchTerms.of(Duration.ofSeconds(30), Duration.ofSeconds(45), 9, Duration.ofSeconds(10));
    Functions functions = new Functions(Kit.BY_HAND, kit.place, many);
    String id = kit.enqueue("eu", "a");
    for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      Word _ = kit.run(functions.tryAgain("pod-eu", kit.claimOne(Kit.EU), "busy"));
      kit.pass(Duration.ofSeconds(seconds).minusMillis(1));
      assertThat(kit.claim(Kit.EU, 1)).isEmpty();
      kit.pass(Duration.ofMillis(1 + 100L * seconds));
    }
    assertThat(kit.task(id).retryCount()).isEqualTo(7);
  }

  @Test
  void theWindowBeginsWhenTheTaskIsDue() {
    String id = kit.enqueue("eu", "a");
    tryAgain();
    kit.pass(Duration.ofMillis(30_999));
    assertThat(kit.run(kit.functions.expire(10)).count()).isZero();
    kit.pass(Duration.ofMillis(102));
    assertThat(kit.run(kit.functions.expire(10)).count()).isEqualTo(1);
    assertThat(kit.task(id).state()).isEqualTo(TaskState.TIMEOUT);
  }

  @Test
  void aStopEndsItAtOnce() {
    String id = kit.enqueue("eu", "a");
    tryAgain();
    assertThat(kit.run(kit.functions.stop(id, Duration.ZERO)).word()).isEqualTo(Word.APPLIED);
    assertThat(kit.task(id).state()).isEqualTo(TaskState.FAILED);
    assertThat(kit.task(id).error()).isEqualTo("stopped");
    kit.pass(Duration.ofSeconds(2));
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
  }

  /** For the server that wakes a parked pod then, and nobody before. */
  @Test
  void aTickSaysWhenTheNextTaskIsDueAndThenWakesAPod() {
    String _ = kit.redis.call(commands -> commands.set(kit.place.generation(), "g"));
    String _ = kit.enqueue("eu", "a");
    tryAgain();
    while (kit.length(kit.place.wake("eu")) > 0) {
      String _ = kit.pop(kit.place.wake("eu"));
    }
    Ticked ticked = kit.run(kit.functions.tick());
    assertThat(ticked.live()).isEqualTo(1);
    assertThat(ticked.nextDue().orElseThrow())
        .isBetween(Duration.ofMillis(1000), Duration.ofMillis(1100));
    assertThat(kit.length(kit.place.wake("eu"))).isZero();
    kit.pass(ticked.nextDue().orElseThrow());
    assertThat(kit.run(kit.functions.tick()).nextDue()).isEmpty();
    assertThat(kit.length(kit.place.wake("eu"))).isEqualTo(1);
  }

  @Test
  void itIsCountedAmongWhatWaits() {
    String _ = kit.enqueue("eu", "a");
    tryAgain();
    assertThat(Look.survey(List.of(kit.run(kit.functions.survey()))).regions())
        .extracting(Region::pending)
        .containsExactly(1L);
  }

  @Test
  void whatItsPodHandsBackIsAtTheHeadAtOnce() {
    String id = kit.enqueue("eu", "a");
    Held held = kit.claimOne(Kit.EU);
    String _ = kit.enqueue("eu", "a");
    assertThat(kit.run(kit.functions.handBack("pod-eu", held, "its pod was shut down")))
        .isEqualTo(Word.APPLIED);
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly(id);
  }

  private void tryAgain() {
    assertThat(kit.run(kit.functions.tryAgain("pod-eu", kit.claimOne(Kit.EU), "busy")))
        .isEqualTo(Word.APPLIED);
  }
}
