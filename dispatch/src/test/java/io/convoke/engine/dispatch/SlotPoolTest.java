package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** How long a pod waits for its running tasks. */
class SlotPoolTest {
  private final SlotPool slotPool = new SlotPool(1, PodCapacity.COUNT_ONLY);

  @Test
  void aWaitMayBeOfAnyLength() {
    assertThat(slotPool.awaitNone(ChronoUnit.FOREVER.getDuration())).isTrue();
    assertThat(slotPool.awaitNone(Duration.ofSeconds(Long.MIN_VALUE))).isTrue();
  }
}
