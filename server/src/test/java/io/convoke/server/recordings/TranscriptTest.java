package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.transcribe.Segment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** No word is lost on its way into the table, which keeps speakers and beginnings apart. */
class TranscriptTest {
  @Test
  void whatSomebodySaysAtTheSameMomentIsOneSegment() {
    assertThat(
            Transcript.joined(
                List.of(said("Ada", 1, "Good"), said("Bob", 1, "Hello."), said("Ada", 1, "day."))))
        .extracting(Segment::text)
        .containsExactly("Good day.", "Hello.");
  }

  @Test
  void whatNobodyIsKnownToHaveSaidStaysAsItIs() {
    List<Segment> segments = List.of(Segment.of(1, 2, "Good"), Segment.of(1, 2, "Good"));
    assertThat(Transcript.joined(segments)).isEqualTo(segments);
  }

  private static Segment said(String name, double at, String text) {
    return new Segment(at, at + 1, text, Optional.of(name), Optional.empty());
  }
}
