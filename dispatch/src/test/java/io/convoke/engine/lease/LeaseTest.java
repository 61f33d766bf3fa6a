package io.convoke.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.lease.Lease.LeaseEnding;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseTest {
  private static final LeaseConfig TERMS =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

  private final List<LeaseEnding> endings = new ArrayList<>();
  private final Lease lease =
      new Lease((ended, leaseEnding) -> endings.add(leaseEnding), "meeting:1", "token", 7, TERMS);

  @BeforeEach
  void renewedNow() {
    lease.validUntil(System.nanoTime() + Duration.ofHours(1).toNanos());
  }

  @ParameterizedTest
  @CsvSource({"120, 30, 12", "600, 60, 60"})
  void theDefaultTimesAreAllowedAndLeaveATenthToStop(int timeout, int interval, int margin) {
    LeaseConfig terms = new LeaseConfig(Duration.ofSeconds(timeout), Duration.ofSeconds(interval));
    assertThat(terms.margin()).isEqualTo(Duration.ofSeconds(margin));
  }

  @ParameterizedTest
  @CsvSource({"120, 61", "120, 0", "120, -1", "0, 0"})
  void termsThatCouldNotBeKeptAreRefused(int timeout, int interval) {
    assertThatThrownBy(
            () -> new LeaseConfig(Duration.ofSeconds(timeout), Duration.ofSeconds(interval)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void guardAnswersWhatTheWorkAnswers() throws Exception {
    assertThat(lease.<String>guard(() -> "done")).isEqualTo("done");
    assertThatThrownBy(
            () ->
                lease.guard(
                    () -> {
                      throw new IOException("the work's own");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(lease.held()).isTrue();
  }

  @Test
  void aLossInterruptsTheHolderAndReplacesItsFailure() {
    CountDownLatch working = new CountDownLatch(1);
    CompletableFuture<Void> loss =
        CompletableFuture.runAsync(
            () -> {
              await(working);
              assertThat(lease.lose()).isTrue();
            },
            Thread::startVirtualThread);
    assertThatThrownBy(
            () ->
                lease.guard(
                    () -> {
                      working.countDown();
                      new CountDownLatch(1).await();
                      return "never";
                    }))
        .isInstanceOf(LeaseLost.class)
        .hasMessageContaining("meeting:1")
        .hasCauseInstanceOf(InterruptedException.class);
    loss.join();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(lease.held()).isFalse();
  }

  @Test
  void aResultThatCameAfterTheLossDoesNotCount() {
    assertThatThrownBy(
            () ->
                lease.guard(
                    () -> {
                      assertThat(lease.lose()).isTrue();
                      return "too late";
                    }))
        .isInstanceOf(LeaseLost.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aLeaseThatWasLostBeforeGuardsNothing() {
    assertThat(lease.lose()).isTrue();
    assertThatThrownBy(() -> lease.guard(() -> "never")).isInstanceOf(LeaseLost.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aLeaseThatWasReleasedGuardsNothing() {
    lease.close();
    assertThatThrownBy(() -> lease.guard(() -> "never")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aLeaseGuardsOneThreadAtATime() throws Exception {
    String outcome =
        lease.guard(
            () -> {
              assertThatThrownBy(() -> lease.guard(() -> "second"))
                  .isInstanceOf(IllegalStateException.class);
              return "first";
            });
    assertThat(outcome).isEqualTo("first");
  }

  @Test
  void workThatEndsInAnErrorIsNotInterruptedLater() {
    assertThatThrownBy(
            () ->
                lease.guard(
                    () -> {
                      throw new StackOverflowError();
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(lease.lose()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aHolderThatSleptThroughItsEndHearsItFromTheClock() {
    lease.validUntil(System.nanoTime() - 1);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void lossNotifiesAllListenersOnceAndLateOnesAtOnce() {
    List<String> told = new ArrayList<>();
    lease.onLoss(() -> told.add("first"));
    lease.onLoss(
        () -> {
          throw new IllegalStateException("must not matter");
        });
    lease.onLoss(() -> told.add("second"));
    assertThat(lease.lose()).isTrue();
    assertThat(lease.lose()).isFalse();
    lease.onLoss(() -> told.add("late"));
    assertThat(told).containsExactly("first", "second", "late");
  }

  @Test
  void itEndsOnceWhateverIsCalledHowOften() {
    lease.close();
    lease.close();
    lease.surrendered();
    assertThat(lease.lose()).isFalse();
    assertThat(endings).containsExactly(LeaseEnding.RELEASED);
  }

  @Test
  void closingAfterALossSaysThatTheHolderHasStopped() {
    assertThat(lease.lose()).isTrue();
    lease.close();
    lease.close();
    assertThat(endings).containsExactly(LeaseEnding.STOPPED);
  }

  @Test
  void aSurrenderedLeaseIsNeitherHeldNorLost() {
    lease.surrendered();
    assertThat(lease.held()).isFalse();
    assertThat(lease.lose()).isFalse();
    lease.close();
    assertThat(endings).containsExactly(LeaseEnding.SURRENDERED);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
