package io.convoke.server.transcripts;

import io.convoke.server.meetings.Segment;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A segment on the common time of a document, with its text and speaker on one line each.
 *
 * @param startMs since the beginning of the document
 * @param endMs later than the start, as WebVTT requires
 */
record Cue(long startMs, long endMs, Optional<String> speaker, String text) {
  private static final Pattern SPACE = Pattern.compile("[\\p{Cc}\\s\\u2028\\u2029]+");
  private static final double SECONDS_MAX = 1e9;

  /** The cue of a segment whose session began so many milliseconds after the document. */
  static Cue of(Segment segment, long offsetMs) {
    long start = offsetMs + millis(segment.start());
    long end = offsetMs + millis(segment.end());
    return new Cue(
        start,
        Math.max(end, start + 1),
        segment.speaker().map(Cue::oneLine).filter(name -> !name.isEmpty()),
        oneLine(segment.text()));
  }

  private static long millis(double seconds) {
    return Math.round(Math.clamp(seconds, 0, SECONDS_MAX) * 1000);
  }

  /** The text with each run of white space and control characters as one space. */
  static String oneLine(String text) {
    return SPACE.matcher(text).replaceAll(" ").strip();
  }
}
