package io.convoke.server.recordings;

import io.convoke.server.meetings.Transcripts;
import io.convoke.server.transcribe.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The segments of a transcriber as the rows of a transcript. */
final class Transcript {
  private Transcript() {}

  /** The segments as they are stored. */
  static List<Transcripts.Heard> rows(List<Segment> heard) {
    return joined(heard).stream()
        .map(
            it ->
                new Transcripts.Heard(
                    it.start(), it.end(), it.text(), it.speaker(), it.language(), true))
        .toList();
  }

  /**
   * Merges segments with the same speaker and start, which is the table's unique key; otherwise the
   * second of two would be lost.
   */
  static List<Segment> joined(List<Segment> segments) {
    List<Segment> joined = new ArrayList<>();
    Map<Place, Integer> places = new HashMap<>();
    for (Segment segment : segments) {
      Optional<Place> place = segment.speaker().map(name -> new Place(segment.start(), name));
      Optional<Integer> known = place.flatMap(it -> Optional.ofNullable(places.get(it)));
      if (known.isPresent()) {
        joined.set(known.get(), together(joined.get(known.get()), segment));
      } else {
        place.ifPresent(it -> places.put(it, joined.size()));
        joined.add(segment);
      }
    }
    return List.copyOf(joined);
  }

  private record Place(double start, String speaker) {}

  private static Segment together(Segment one, Segment other) {
    return new Segment(
        one.start(),
        Math.max(one.end(), other.end()),
        one.text() + " " + other.text(),
        one.speaker(),
        one.language());
  }
}
