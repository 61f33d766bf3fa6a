package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.egress.EgressSegment.EgressGap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class EgressSegmentTest {
  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");

  private static EgressSegment segment(int attempt, int part, int number, double from, double to) {
    return new EgressSegment(
        "t-1",
        attempt,
        part,
        EgressSegment.WHOLE,
        number,
        NINE.plusMillis(Math.round(1000 * from)),
        Duration.ofMillis(Math.round(1000 * (to - from))),
        "ts");
  }

  @Test
  void aKeyTellsAllOfASegment() {
    EgressSegment segment = segment(2, 11, 7, 1.5, 5.5);
    assertThat(segment.key().text())
        .isEqualTo("egress/t-1/002-011/segment-00007-1772442001500-4000.ts");
    assertThat(EgressSegment.of(segment.key().text())).contains(segment);
    for (String other :
        List.of("egress/t-1/002-011/part.json", "egress/t-1/index.m3u8", "recordings/r/audio")) {
      assertThat(EgressSegment.of(other)).isEmpty();
    }
  }

  @Test
  void aLongRecordingHasKeysOfMoreDigits() {
    for (EgressSegment later :
        List.of(
            segment(1, 1000, 1, 0, 4),
            segment(1000, 1, 1, 0, 4),
            segment(1, 1, 100_000, 0, 20_000))) {
      assertThat(EgressSegment.of(later.key().text())).contains(later);
    }
    assertThat(segment(1, 1000, 1, 0, 4).key().text())
        .isEqualTo("egress/t-1/001-1000/segment-00001-1772442000000-4000.ts");
  }

  @Test
  void aSegmentWhoseKeyTellsLessIsRefused() {
    EgressSegment backwards = segment(1, 1, 1, 4, 0);
    assertThatThrownBy(backwards::key).isInstanceOf(IllegalStateException.class);
  }

  /** The clock of the second attempt's pod is behind. */
  @Test
  void segmentsAreInTheOrderOfTheirNumbersWhateverAClockSays() {
    List<EgressSegment> ordered =
        List.of(
            segment(1, 999, 1, 0, 4),
            segment(1, 1000, 1, 4, 8),
            segment(1, 1000, 2, 8, 12),
            segment(2, 1, 1, -30, -26));
    assertThat(EgressSegment.whole(ordered.reversed())).isEqualTo(ordered);
  }

  @Test
  void whatIsMissingIsToldWithItsReason() {
    List<EgressSegment> all =
        List.of(
            segment(2, 1, 1, 30, 34),
            segment(1, 1, 1, 0, 4),
            segment(1, 1, 2, 4.2, 8),
            segment(1, 2, 1, 12, 16));
    assertThat(EgressSegment.gaps(EgressSegment.whole(all), NINE.plusSeconds(35)))
        .containsExactly(
            new EgressGap(
                NINE.plusSeconds(8),
                NINE.plusSeconds(12),
                "the publishers changed, none published, or ffmpeg ended"),
            new EgressGap(
                NINE.plusSeconds(16), NINE.plusSeconds(30), "the pod of attempt 1 was lost"));
  }

  @Test
  void whatAnEncoderThatWasBehindDidNotRecordIsTold() {
    List<EgressSegment> whole = List.of(segment(1, 1, 1, 0, 4));
    assertThat(EgressSegment.gaps(whole, Instant.EPOCH)).isEmpty();
    assertThat(EgressSegment.gaps(whole, NINE.plusSeconds(9)))
        .containsExactly(
            new EgressGap(
                NINE.plusSeconds(4), NINE.plusSeconds(9), "ffmpeg was behind when it ended"));
  }

  @Test
  void aPlaylistGrowsAndSaysWhereTimesBeginAnew() {
    List<EgressSegment> some = List.of(segment(1, 1, 1, 0, 4), segment(1, 1, 2, 4, 8.2));
    List<EgressSegment> more = List.of(some.get(0), some.get(1), segment(2, 1, 1, 30, 34));
    String before = EgressSegment.playlist(some, false);
    assertThat(before)
        .isEqualTo(
            """
            #EXTM3U
            #EXT-X-VERSION:3
            #EXT-X-PLAYLIST-TYPE:EVENT
            #EXT-X-TARGETDURATION:5
            #EXT-X-MEDIA-SEQUENCE:0
            #EXTINF:4.000,
            001-001/segment-00001-1772442000000-4000.ts
            #EXTINF:4.200,
            001-001/segment-00002-1772442004000-4200.ts
            """);
    assertThat(EgressSegment.playlist(more, true))
        .startsWith(before)
        .endsWith(
            """
            #EXT-X-DISCONTINUITY
            #EXTINF:4.000,
            002-001/segment-00001-1772442030000-4000.ts
            #EXT-X-ENDLIST
            """);
  }
}
