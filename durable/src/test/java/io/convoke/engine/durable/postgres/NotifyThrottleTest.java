package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NotifyThrottleTest {
  private long now;
  private final NewWorkNotifier.NotifyThrottle notifyThrottle =
      new NewWorkNotifier.NotifyThrottle(now);

  private boolean takeAfter(Duration silence) {
    now += silence.toNanos();
    return notifyThrottle.tryAcquire(now);
  }

  @Test
  void afterASilenceTheFirstTellsAtOnceAndTheNextWaits() {
    assertThat(takeAfter(Duration.ZERO)).isTrue();
    assertThat(takeAfter(Duration.ofMillis(1))).isFalse();
    assertThat(Duration.ofNanos(notifyThrottle.silence(now))).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void thePausesGrowWhileThereIsAlwaysMoreAndEndWithTheNextSilence() {
    int told = 0;
    for (int i = 0; i < 10_000; i++) {
      told += takeAfter(Duration.ofNanos(100_000)) ? 1 : 0;
    }
    assertThat(told).as("in a second").isBetween(123, 127);
    assertThat(takeAfter(Duration.ofMillis(20))).isTrue();
    assertThat(takeAfter(Duration.ofNanos(2_100_000))).isTrue();
  }

  @Test
  void fiftyASecondAreToldEachAtOnce() {
    for (int i = 0; i < 50; i++) {
      assertThat(takeAfter(Duration.ofMillis(20))).isTrue();
    }
  }
}
