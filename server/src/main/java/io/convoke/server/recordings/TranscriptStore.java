package io.convoke.server.recordings;

import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.transcribe.TranscriptSegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The segments of a transcriber as the rows of a transcript. */
final class TranscriptStore {
  private TranscriptStore() {}

  /** The segments as they are stored. */
  static List<MeetingTranscriptStore.StoredSegment> rows(List<TranscriptSegment> parsed) {
    return joined(parsed).stream()
        .map(
            it ->
                new MeetingTranscriptStore.StoredSegment(
                    it.start(), it.end(), it.text(), it.speaker(), it.language(), true))
        .toList();
  }

  /**
   * Merges segments with the same speaker and start, which is the table's unique key; otherwise the
   * second of two would be lost.
   */
  static List<TranscriptSegment> joined(List<TranscriptSegment> segments) {
    List<TranscriptSegment> joined = new ArrayList<>();
    Map<TranscriptPosition, Integer> places = new HashMap<>();
    for (TranscriptSegment transcriptSegment : segments) {
      Optional<TranscriptPosition> place =
          transcriptSegment
              .speaker()
              .map(name -> new TranscriptPosition(transcriptSegment.start(), name));
      Optional<Integer> known = place.flatMap(it -> Optional.ofNullable(places.get(it)));
      if (known.isPresent()) {
        joined.set(known.get(), together(joined.get(known.get()), transcriptSegment));
      } else {
        place.ifPresent(it -> places.put(it, joined.size()));
        joined.add(transcriptSegment);
      }
    }
    return List.copyOf(joined);
  }

  private record TranscriptPosition(double start, String speaker) {}

  private static TranscriptSegment together(TranscriptSegment one, TranscriptSegment other) {
    return new TranscriptSegment(
        one.start(),
        Math.max(one.end(), other.end()),
        one.text() + " " + other.text(),
        one.speaker(),
        one.language());
  }
}
