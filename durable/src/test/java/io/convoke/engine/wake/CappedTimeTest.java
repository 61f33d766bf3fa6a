package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class CappedTimeTest {
  private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void aTimeThatFitsStaysAsItIs() {
    Duration time = Duration.ofMillis(1500);
    assertThat(CappedTime.nanos(time)).isEqualTo(1_500_000_000);
    assertThat(CappedTime.millis(time)).isEqualTo(1500);
    assertThat(CappedTime.stored(time)).isEqualTo(time);
  }

  @Test
  void aTimeThatStandsForNoLimitIsTheLongestThatFits() {
    assertThat(CappedTime.nanos(FOR_EVER)).isEqualTo(Long.MAX_VALUE);
    assertThat(CappedTime.millis(FOR_EVER)).isEqualTo(Long.MAX_VALUE);
    assertThat(CappedTime.stored(FOR_EVER)).isEqualTo(Duration.ofDays(365_000));
  }
}
