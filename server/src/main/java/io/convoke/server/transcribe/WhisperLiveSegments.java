package io.convoke.server.transcribe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Collects WhisperLive's segments. Each message repeats the last few segments; a segment is final
 * once it is marked completed, or once a later one follows it. The last may still change and counts
 * at the end. Not safe for concurrent use.
 */
final class WhisperLiveSegments {
  private static final double SAME = 0.001;

  private final List<TranscriptSegment> settled = new ArrayList<>();
  private Optional<TranscriptSegment> open = Optional.empty();

  /** Takes a message's segments; answers those that have settled by it. */
  List<TranscriptSegment> take(JsonNode array, Optional<String> language) {
    List<TranscriptSegment> more = new ArrayList<>();
    List<JsonNode> nodes = array.valueStream().toList();
    Optional<TranscriptSegment> last = Optional.empty();
    for (int i = 0; i < nodes.size(); i++) {
      Optional<TranscriptSegment> segment = SegmentParser.read(nodes.get(i), language);
      boolean completed =
          nodes.get(i).path("completed").asBoolean(i < nodes.size() - 1) || i < nodes.size() - 1;
      if (segment.isPresent() && segment.get().start() >= end() - SAME) {
        if (completed) {
          settled.add(segment.get());
          more.add(segment.get());
        } else {
          last = segment;
        }
      }
    }
    open = last;
    return more;
  }

  /** The end of what has settled, in seconds. */
  double end() {
    return settled.isEmpty() ? 0 : settled.getLast().end();
  }

  /** The end of the last segment, drafts included. */
  double heardUntil() {
    return open.map(transcriptSegment -> Math.max(transcriptSegment.end(), end())).orElse(end());
  }

  /** The segment that was never completed counts now; there is nothing more to come. */
  List<TranscriptSegment> finish() {
    List<TranscriptSegment> last = open.stream().toList();
    settled.addAll(last);
    open = Optional.empty();
    return last;
  }

  List<TranscriptSegment> all() {
    return List.copyOf(settled);
  }
}
