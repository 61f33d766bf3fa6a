package io.convoke.engine.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.signal.Signal.Observation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SignalTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private final Signal<Integer> signal = new Signal<>();

  @Test
  void anObservationKeepsWhatIsEmittedSinceItBegan() {
    signal.emit(1);
    try (Observation<Integer> observation = signal.observe()) {
      signal.emit(2);
      signal.emit(3);
      assertThat(observation.await(LONG)).isEqualTo(2);
      signal.emit(4);
      assertThat(observation.drain()).containsExactly(3, 4);
    }
  }

  @Test
  void waitingSkipsWhatDoesNotFit() {
    try (Observation<Integer> observation = signal.observe()) {
      signal.emit(1);
      signal.emit(2);
      signal.emit(3);
      assertThat(observation.await(n -> n == 2, LONG)).isEqualTo(2);
      assertThat(observation.drain()).containsExactly(3);
    }
  }

  @Test
  void waitingEndsWhenTheValueComesFromAnotherThread() throws Exception {
    try (Observation<Integer> observation = signal.observe()) {
      CompletableFuture<Integer> awaited =
          CompletableFuture.supplyAsync(
              () -> observation.await(n -> n == 7, LONG), Thread::startVirtualThread);
      signal.emit(7);
      assertThat(awaited.get(10, TimeUnit.SECONDS)).isEqualTo(7);
    }
  }

  @Test
  void whatDidNotComeIsToldWithWhatCameInstead() {
    try (Observation<Integer> observation = signal.observe()) {
      signal.emit(1);
      assertThatThrownBy(() -> observation.await(n -> n == 2, Duration.ofMillis(1)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("[1]");
    }
  }

  @Test
  void observersDoNotTakeFromEachOtherAndAClosedOneHearsNothing() {
    Observation<Integer> one = signal.observe();
    try (Observation<Integer> two = signal.observe()) {
      signal.emit(1);
      one.close();
      signal.emit(2);
      assertThat(one.drain()).containsExactly(1);
      assertThat(two.drain()).containsExactly(1, 2);
    }
  }
}
