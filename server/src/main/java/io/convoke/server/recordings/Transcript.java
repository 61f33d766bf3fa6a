package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;
import io.convoke.server.transcribe.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The words of a recording among those of its meeting, under a session of their own: {@code
 * recording:{id}}. Bots keep theirs under their connections.
 */
final class Transcript {
  private static final int BATCH = 1000;

  private Transcript() {}

  static String uid(String recordingId) {
    return "recording:" + recordingId;
  }

  /** Puts all words of a recording in the place of those that were there. */
  static void replace(Tx tx, long meetingId, String recordingId, List<Segment> segments) {
    int _ =
        tx.sql("delete from transcriptions where meeting_id = ? and session_uid = ?")
            .with(meetingId, uid(recordingId))
            .update();
    add(tx, meetingId, recordingId, segments);
  }

  static void add(Tx tx, long meetingId, String recordingId, List<Segment> heard) {
    List<Segment> segments = joined(heard);
    for (int from = 0; from < segments.size(); from += BATCH) {
      List<Segment> batch = segments.subList(from, Math.min(segments.size(), from + BATCH));
      int _ =
          tx.sql(
                  """
                  insert into transcriptions
                    (meeting_id, start_time, end_time, text, speaker, language, session_uid)
                  select ?, s.start_time, s.end_time, s.text, s.speaker, s.language, ?
                  from unnest(?::float8[], ?::float8[], ?::text[], ?::text[], ?::text[])
                    as s (start_time, end_time, text, speaker, language)
                  on conflict do nothing
                  """)
              .with(
                  meetingId,
                  uid(recordingId),
                  batch.stream().map(Segment::start).toArray(Double[]::new),
                  batch.stream().map(Segment::end).toArray(Double[]::new),
                  batch.stream().map(Segment::text).toArray(String[]::new),
                  texts(batch.stream().map(Segment::speaker).toList()),
                  texts(batch.stream().map(Segment::language).toList()))
              .update();
    }
  }

  /**
   * The same words with one segment for each speaker and beginning, which is all that the table
   * keeps apart; of two that a transcriber gives the same beginning the second would be lost.
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

  private static @Nullable String[] texts(List<Optional<String>> maybe) {
    @Nullable String[] texts = new @Nullable String[maybe.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = maybe.get(i).orElse(null);
    }
    return texts;
  }
}
