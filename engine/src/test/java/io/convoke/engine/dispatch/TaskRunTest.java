package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Handler.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One attempt, without a pod. */
class TaskRunTest {
  private static final Outcome.TryAgain TRY_AGAIN = new Outcome.TryAgain("its pod was shut down");

  private final AtomicInteger begun = new AtomicInteger();

  /** A pod that hung between its claim and its handler wakes and finds the task another's. */
  @Test
  void whatHasLostItsLeaseBeforeItBeganIsNotBegun() {
    assertThat(run(Duration.ofSeconds(41)).run(this::begin)).isEmpty();
    assertThat(begun).hasValue(0);
  }

  /** Its lease holds, but a pod that is silent for so long counts as dead. */
  @Test
  void whatWasNotBegunInTimeIsGivenBack() {
    DispatchTerms terms = Kit.TERMS.deadAfter(Optional.of(Duration.ofSeconds(3)));
    assertThat(run(Duration.ofMillis(3001), terms).run(this::begin))
        .contains(new Outcome.TryAgain(TaskRun.NOT_BEGUN));
    assertThat(begun).hasValue(0);
  }

  @Test
  void whereOnlyLeasesEndItIsBegunForAsLongAsItsLeaseHolds() {
    assertThat(run(Duration.ofSeconds(40)).run(this::begin)).contains(new Outcome.Done());
    assertThat(begun).hasValue(1);
  }

  @Test
  void whatHoldsItsLeaseIsBegunAndTellsItsOutcome() {
    assertThat(run(Duration.ZERO).run(this::begin)).contains(new Outcome.Done());
    assertThat(begun).hasValue(1);
  }

  /** It was asked to end, and did so before anybody interrupted it. */
  @Test
  void whatEndsCleanlyBecauseItsPodEndsIsNotDone() {
    assertThat(takenBackThen(new Outcome.Done())).contains(TRY_AGAIN);
  }

  @Test
  void aProgramThatIsEndedWithItsPodHasNotFailed() {
    assertThat(takenBackThen(new Outcome.Failed("the program ended with exit code 143")))
        .contains(TRY_AGAIN);
  }

  private static Optional<Outcome> takenBackThen(Outcome said) {
    return run(Duration.ZERO)
        .run(
            own -> {
              own.takeBack(TRY_AGAIN.reason());
              return said;
            });
  }

  private Outcome begin(TaskRun run) {
    int _ = begun.incrementAndGet();
    return new Outcome.Done();
  }

  private static TaskRun run(Duration sinceItsClaim) {
    return run(sinceItsClaim, Kit.TERMS);
  }

  private static TaskRun run(Duration sinceItsClaim, DispatchTerms terms) {
    NewTask task = Kit.task("a", "eu", "room");
    return new TaskRun(
        new Functions(Scripts.LIVE, Place.ONE, Kit.TERMS),
        Task.pending(Arrival.of(task), Instant.EPOCH),
        0,
        System.nanoTime() - sinceItsClaim.toNanos(),
        terms);
  }
}
