package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One attempt, without a running pod. */
class TaskAttemptTest {
  private static final AttemptOutcome.AttemptHandedBack SHUT_DOWN =
      new AttemptOutcome.AttemptHandedBack("its pod was shut down");

  private final AtomicInteger begun = new AtomicInteger();

  /** A pod that hung between claim and start resumes after another pod got the task. */
  @Test
  void whatHasLostItsLeaseBeforeItBeganIsNotBegun() {
    assertThat(run(Duration.ofSeconds(41)).run(this::begin)).isEmpty();
    assertThat(begun).hasValue(0);
  }

  /** Its lease is valid, but the silent pod counts as dead. */
  @Test
  void whatWasNotBegunInTimeIsGivenBack() {
    DispatchConfig config = DispatchTestKit.CONFIG.deadAfter(Optional.of(Duration.ofSeconds(3)));
    assertThat(run(Duration.ofMillis(3001), config).run(this::begin))
        .contains(new AttemptOutcome.AttemptHandedBack(TaskAttempt.NOT_BEGUN));
    assertThat(begun).hasValue(0);
  }

  /** A retry is a failed try, whatever its reason. */
  @Test
  void aRetryIsNotHandedBack() {
    AttemptOutcome retry = new AttemptOutcome.AttemptRetry(TaskAttempt.NOT_BEGUN);
    assertThat(run(Duration.ZERO).run(_ -> retry)).contains(retry);
  }

  @Test
  void whereOnlyLeasesEndItIsBegunForAsLongAsItsLeaseHolds() {
    assertThat(run(Duration.ofSeconds(40)).run(this::begin))
        .contains(new AttemptOutcome.AttemptDone());
    assertThat(begun).hasValue(1);
  }

  @Test
  void whatHoldsItsLeaseIsBegunAndTellsItsOutcome() {
    assertThat(run(Duration.ZERO).run(this::begin)).contains(new AttemptOutcome.AttemptDone());
    assertThat(begun).hasValue(1);
  }

  /** It ended on request before the interrupt. */
  @Test
  void whatEndsCleanlyBecauseItsPodEndsIsNotDone() {
    assertThat(takenBackThen(new AttemptOutcome.AttemptDone())).contains(SHUT_DOWN);
  }

  @Test
  void aProgramThatIsEndedWithItsPodHasNotFailed() {
    assertThat(
            takenBackThen(new AttemptOutcome.AttemptFailed("the program ended with exit code 143")))
        .contains(SHUT_DOWN);
  }

  /** Postgres cannot store U+0000, and half of a character is none. */
  @Test
  void aReasonIsCutBetweenCharactersAndCanBeStored() {
    String most = "\uFFFD" + "a".repeat(998) + "\uD83D\uDE00";
    AttemptOutcome said = new AttemptOutcome.AttemptRetry(most.replace('\uFFFD', '\0') + "b");
    assertThat(run(Duration.ZERO).run(_ -> said)).contains(new AttemptOutcome.AttemptRetry(most));
  }

  private static Optional<AttemptOutcome> takenBackThen(AttemptOutcome said) {
    return run(Duration.ZERO)
        .run(
            own -> {
              own.takeBack(SHUT_DOWN.reason());
              return said;
            });
  }

  private AttemptOutcome begin(TaskAttempt run) {
    int _ = begun.incrementAndGet();
    return new AttemptOutcome.AttemptDone();
  }

  private static TaskAttempt run(Duration sinceItsClaim) {
    return run(sinceItsClaim, DispatchTestKit.CONFIG);
  }

  private static TaskAttempt run(Duration sinceItsClaim, DispatchConfig config) {
    NewTask task = DispatchTestKit.task("a", "eu", "room");
    return new TaskAttempt(
        new TaskScripts(KeySpace.ONE, DispatchTestKit.CONFIG),
        Task.pending(EnqueueRequest.of(task), Instant.EPOCH),
        0,
        System.nanoTime() - sinceItsClaim.toNanos(),
        config);
  }
}
