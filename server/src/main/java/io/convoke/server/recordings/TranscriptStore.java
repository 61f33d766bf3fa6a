package io.convoke.server.recordings;

import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.Segment.SegmentToken;
import io.convoke.server.transcribe.TranscriptSegment;
import io.convoke.server.transcribe.TranscriptSegment.TimedToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The segments of a transcriber as the rows of a transcript. */
final class TranscriptStore {
  private TranscriptStore() {}

  /** The segments as they are stored. */
  static List<MeetingTranscriptStore.StoredSegment> rows(List<TranscriptSegment> parsed) {
    return joined(parsed).stream()
        .map(
            it ->
                new MeetingTranscriptStore.StoredSegment(
                    it.start(),
                    it.end(),
                    it.text(),
                    it.speaker(),
                    it.language(),
                    true,
                    it.confidence().map(sure -> rounded(sure)),
                    it.words().stream().map(TranscriptStore::word).toList(),
                    Optional.empty()))
        .toList();
  }

  private static SegmentToken word(TimedToken token) {
    return new SegmentToken(
        token.text(),
        rounded(token.start()),
        rounded(token.end()),
        token.confidence().map(sure -> rounded(sure)));
  }

  /** Milliseconds, and thousandths of a probability: more is noise, and takes space. */
  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
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
        one.language(),
        // Words of one part alone would be taken for those of both.
        one.words().isEmpty() || other.words().isEmpty()
            ? List.of()
            : Stream.concat(one.words().stream(), other.words().stream()).toList(),
        one.confidence().flatMap(sure -> other.confidence().map(also -> Math.min(sure, also))));
  }
}
