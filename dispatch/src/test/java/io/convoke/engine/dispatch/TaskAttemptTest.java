package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One attempt, without a running pod. */
class TaskAttemptTest {
  private static final AttemptOutcome.AttemptHandedBack SHUT_DOWN =
      new AttemptOutcome.AttemptHandedBack("its pod was shut down");

  private static final int SLOT = 3;

  private final AtomicInteger begun = new AtomicInteger();

  /** Whether its thread was interrupted, at each look of a handler. */
  private final List<Boolean> interrupted = new ArrayList<>();

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

  @Test
  void itRunsUntilItsTimeIsOverAndReportsForOneLeaseMore() {
    TaskAttempt attempt = run(Duration.ZERO);
    assertThat(attempt.workerId()).isEqualTo(SLOT);
    attempt.renewed(1000);
    assertThat(attempt.left(400)).isEqualTo(Duration.ofNanos(600));
    assertThat(attempt.overdue(999)).isFalse();
    assertThat(attempt.overdue(1000)).isTrue();
    long end = 1000 + DispatchTestKit.CONFIG.lease().toNanos();
    assertThat(attempt.reportable(end - 1)).isTrue();
    assertThat(attempt.reportable(end)).isFalse();
  }

  @Test
  void theWorkIsToldOnceToEndAndAtOnceIfItListensLate() {
    TaskAttempt attempt = run(Duration.ZERO);
    AtomicInteger told = new AtomicInteger();
    attempt.onStop(
        () -> {
          throw new IllegalStateException("the next listener is told all the same");
        });
    attempt.onStop(told::incrementAndGet);
    assertThat(attempt.stopping()).isFalse();
    assertThat(told).hasValue(0);
    attempt.stop();
    attempt.stop();
    assertThat(attempt.stopping()).isTrue();
    assertThat(told).hasValue(1);
    attempt.onStop(told::incrementAndGet);
    assertThat(told).hasValue(2);
  }

  /** A pod that hung finds out by the clock, before it is told. */
  @Test
  void workWhoseLeaseHasEndedShouldEnd() {
    assertThat(run(Duration.ofSeconds(41)).stopping()).isTrue();
  }

  @Test
  void aLeaseIsLostOnceAndNotAfterTheWork() {
    TaskAttempt lost = run(Duration.ZERO);
    assertThat(lost.lose()).isTrue();
    assertThat(lost.stopping()).isTrue();
    assertThat(lost.lose()).isFalse();
    TaskAttempt ended = run(Duration.ZERO);
    assertThat(ended.run(this::begin)).isPresent();
    assertThat(ended.lose()).isFalse();
  }

  /** The interrupt is for the handler, not for the report of its thread. */
  @Test
  void whatIsLostOrTakenBackIsInterrupted() {
    assertThat(run(Duration.ZERO).run(own -> lookAround(own::lose))).isEmpty();
    assertThat(run(Duration.ZERO).run(own -> lookAround(() -> own.takeBack(SHUT_DOWN.reason()))))
        .contains(SHUT_DOWN);
    assertThat(interrupted).containsExactly(false, true, false, true);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void whatIsLostOrTakenBackBeforeItIsBegunBeginsInterrupted() {
    TaskAttempt lost = run(Duration.ZERO);
    assertThat(lost.lose()).isTrue();
    assertThat(lost.run(_ -> lookAround(() -> {}))).isEmpty();
    TaskAttempt takenBack = run(Duration.ZERO);
    takenBack.takeBack(SHUT_DOWN.reason());
    assertThat(takenBack.stopping()).isTrue();
    assertThat(takenBack.run(_ -> lookAround(() -> {}))).contains(SHUT_DOWN);
    assertThat(interrupted).containsExactly(true, true, true, true);
  }

  /** Each call on a thread of its own: one that kept the lock would block the next. */
  @Test
  void noCallKeepsOthersOut() throws Exception {
    TaskAttempt attempt = run(Duration.ZERO);
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      for (Runnable call :
          List.<Runnable>of(
              attempt::stopping,
              () -> attempt.onStop(() -> {}),
              attempt::stop,
              () -> attempt.run(this::begin),
              () -> attempt.takeBack(SHUT_DOWN.reason()),
              attempt::lose,
              attempt::stopping)) {
        assertThat(threads.submit(call, true).get(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private AttemptOutcome lookAround(Runnable event) {
    boolean _ = interrupted.add(Thread.currentThread().isInterrupted());
    event.run();
    boolean _ = interrupted.add(Thread.currentThread().isInterrupted());
    return new AttemptOutcome.AttemptDone();
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
        SLOT,
        System.nanoTime() - sinceItsClaim.toNanos(),
        config);
  }
}
