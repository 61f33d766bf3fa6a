package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When pictures are due. */
class ShutterTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Shutter shutter = new Shutter(Duration.ofSeconds(15));

  @Test
  void atOnceAndThenAtEachInterval() {
    assertThat(shutter.due(7)).isTrue();
    assertThat(shutter.next(7)).isEqualTo(1);
    assertThat(shutter.due(7 + 15 * SECOND - 1)).isFalse();
    assertThat(shutter.pause(7 + 5 * SECOND)).isEqualTo(Duration.ofSeconds(10));
    assertThat(shutter.due(7 + 15 * SECOND)).isTrue();
    // Late by two seconds: the next one is not.
    assertThat(shutter.next(7 + 17 * SECOND)).isEqualTo(2);
    assertThat(shutter.pause(7 + 17 * SECOND)).isEqualTo(Duration.ofSeconds(13));
  }

  @Test
  void whatWasMissedIsNotMadeUpFor() {
    assertThat(shutter.next(0)).isEqualTo(1);
    assertThat(shutter.next(100 * SECOND)).isEqualTo(2);
    assertThat(shutter.due(100 * SECOND)).isFalse();
    assertThat(shutter.pause(100 * SECOND)).isEqualTo(Duration.ofSeconds(5));
  }
}
