package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the replies of stats.lua sum up to. */
class KeySpaceStatsTest {
  private static final int MANY = 60_000;

  @Test
  void aRegionHasItsQueueItsOverflowQueueAndItsPods() {
    KeySpaceStats reply =
        KeySpaceStats.of(
            KeySpace.ONE,
            List.of(
                List.of(
                    List.of("eu", 2L, 300L),
                    List.of("global:eu", 1L, 900L),
                    List.of("eu", 4L, -1L),
                    List.of("global", 5L, -1L)),
                List.of(
                    List.of("eu", 3L, 1L, 2L, "pod-1", 0L),
                    List.of("eu", 0L, 0L, 1L, "pod-2", 1L),
                    List.of("us", 2L, 2L, 0L, "pod-3", 0L)),
                6L));
    DispatchStats total = KeySpaceStats.total(List.of(reply));
    assertThat(total.regions())
        .containsExactly(
            new RegionStats("eu", 7, 3, Optional.of(Duration.ofMillis(900)), 1, 3, 1),
            new RegionStats("global", 5, 0, Optional.empty(), 0, 0, 0),
            new RegionStats("us", 0, 0, Optional.empty(), 1, 2, 2));
    assertThat(total.pods()).hasSize(3);
    assertThat(total.outboxLength()).isEqualTo(6);
  }

  /** Users choose the names of regions. */
  @Test
  @Timeout(10)
  void manyRegionsTakeNoLongerThanTheirNumber() {
    List<List<Object>> lanes =
        IntStream.range(0, MANY)
            .mapToObj(i -> List.<Object>of("global:region-" + i, 1L, 5L))
            .toList();
    KeySpaceStats reply = KeySpaceStats.of(KeySpace.ONE, List.of(lanes, List.of(), 0L));
    assertThat(KeySpaceStats.total(List.of(reply)).regions()).hasSize(MANY);
  }
}
