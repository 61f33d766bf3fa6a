package io.convoke.server.meetings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a repeated transcription adds to the segments that are stored. */
class MeetingTranscriptStoreTest {
  private static final StoredSegment YES = heard(1, "Yes");
  private static final StoredSegment NO = heard(2, "No");

  @Test
  void whatIsNotStoredIsAddedAsOftenAsItWasSaid() {
    assertThat(MeetingTranscriptStore.missing(List.of(), List.of(YES, NO)))
        .contains(List.of(YES, NO));
    assertThat(MeetingTranscriptStore.missing(List.of(NO, YES), List.of(YES, NO, YES, NO)))
        .contains(List.of(YES, NO));
    assertThat(MeetingTranscriptStore.missing(List.of(YES, YES), List.of(YES, YES)))
        .contains(List.of());
  }

  @Test
  void aStoredSegmentThatWasNotSaidAgainHasAllReplaced() {
    assertThat(MeetingTranscriptStore.missing(List.of(NO), List.of(YES))).isEmpty();
    assertThat(MeetingTranscriptStore.missing(List.of(YES, YES), List.of(YES, NO))).isEmpty();
  }

  /** Comparing each with each would take minutes, and a transaction may be idle for seconds. */
  @Test
  void veryLongTranscriptsAreComparedAtOnce() {
    List<StoredSegment> stored = many("before");
    List<StoredSegment> others = many("after");
    assertThat(
            assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> MeetingTranscriptStore.missing(stored, others)))
        .isEmpty();
  }

  private static List<StoredSegment> many(String text) {
    return IntStream.range(0, 150_000).mapToObj(at -> heard(at, text)).toList();
  }

  private static StoredSegment heard(double start, String text) {
    return new StoredSegment(start, start + 1, text, Optional.empty(), Optional.empty(), true);
  }
}
