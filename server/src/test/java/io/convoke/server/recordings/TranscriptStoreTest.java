package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.transcribe.TranscriptSegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every segment is stored, although the table's key is speaker and start. */
class TranscriptStoreTest {
  @Test
  void segmentsWithOneSpeakerAndStartAreMerged() {
    assertThat(
            TranscriptStore.joined(
                List.of(said("Ada", 1, "Good"), said("Bob", 1, "Hello."), said("Ada", 1, "day."))))
        .extracting(TranscriptSegment::text)
        .containsExactly("Good day.", "Hello.");
  }

  @Test
  void segmentsWithoutASpeakerAreUnchanged() {
    List<TranscriptSegment> segments =
        List.of(TranscriptSegment.of(1, 2, "Good"), TranscriptSegment.of(1, 2, "Good"));
    assertThat(TranscriptStore.joined(segments)).isEqualTo(segments);
  }

  private static TranscriptSegment said(String name, double at, String text) {
    return new TranscriptSegment(at, at + 1, text, Optional.of(name), Optional.empty());
  }
}
