package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When pictures are due. */
class SnapshotScheduleTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final SnapshotSchedule snapshotSchedule = new SnapshotSchedule(Duration.ofSeconds(15));

  @Test
  void atOnceAndThenAtEachInterval() {
    assertThat(snapshotSchedule.due(7)).isTrue();
    assertThat(snapshotSchedule.next(7)).isEqualTo(1);
    assertThat(snapshotSchedule.due(7 + 15 * SECOND - 1)).isFalse();
    assertThat(snapshotSchedule.pause(7 + 5 * SECOND)).isEqualTo(Duration.ofSeconds(10));
    assertThat(snapshotSchedule.due(7 + 15 * SECOND)).isTrue();
    // Late by two seconds: the next one is not.
    assertThat(snapshotSchedule.next(7 + 17 * SECOND)).isEqualTo(2);
    assertThat(snapshotSchedule.pause(7 + 17 * SECOND)).isEqualTo(Duration.ofSeconds(13));
  }

  @Test
  void whatWasMissedIsNotMadeUpFor() {
    assertThat(snapshotSchedule.next(0)).isEqualTo(1);
    assertThat(snapshotSchedule.next(100 * SECOND)).isEqualTo(2);
    assertThat(snapshotSchedule.due(100 * SECOND)).isFalse();
    assertThat(snapshotSchedule.pause(100 * SECOND)).isEqualTo(Duration.ofSeconds(5));
  }
}
