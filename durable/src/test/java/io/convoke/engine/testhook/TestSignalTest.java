package io.convoke.engine.testhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TestSignalTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private final TestSignal<Integer> testSignal = new TestSignal<>();

  @Test
  void anObservationKeepsWhatIsEmittedSinceItBegan() {
    testSignal.emit(1);
    try (SignalObservation<Integer> signalObservation = testSignal.observe()) {
      testSignal.emit(2);
      testSignal.emit(3);
      assertThat(signalObservation.await(LONG)).isEqualTo(2);
      testSignal.emit(4);
      assertThat(signalObservation.drain()).containsExactly(3, 4);
    }
  }

  @Test
  void waitingSkipsWhatDoesNotFit() {
    try (SignalObservation<Integer> signalObservation = testSignal.observe()) {
      testSignal.emit(1);
      testSignal.emit(2);
      testSignal.emit(3);
      assertThat(signalObservation.await(n -> n == 2, LONG)).isEqualTo(2);
      assertThat(signalObservation.drain()).containsExactly(3);
    }
  }

  @Test
  void waitingEndsWhenTheValueComesFromAnotherThread() throws Exception {
    try (SignalObservation<Integer> signalObservation = testSignal.observe()) {
      CompletableFuture<Integer> awaited =
          CompletableFuture.supplyAsync(
              () -> signalObservation.await(n -> n == 7, LONG), Thread::startVirtualThread);
      testSignal.emit(7);
      assertThat(awaited.get(10, TimeUnit.SECONDS)).isEqualTo(7);
    }
  }

  @Test
  void whatDidNotComeIsToldWithWhatCameInstead() {
    try (SignalObservation<Integer> signalObservation = testSignal.observe()) {
      testSignal.emit(1);
      assertThatThrownBy(() -> signalObservation.await(n -> n == 2, Duration.ofMillis(1)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("[1]");
    }
  }

  @Test
  void observersDoNotTakeFromEachOtherAndAClosedOneHearsNothing() {
    SignalObservation<Integer> one = testSignal.observe();
    try (SignalObservation<Integer> two = testSignal.observe()) {
      testSignal.emit(1);
      one.close();
      testSignal.emit(2);
      assertThat(one.drain()).containsExactly(1);
      assertThat(two.drain()).containsExactly(1, 2);
    }
  }
}
