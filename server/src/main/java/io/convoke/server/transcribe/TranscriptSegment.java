package io.convoke.server.transcribe;

import java.util.Optional;

/** A transcript segment. Start and end are seconds from the beginning of the audio. */
public record TranscriptSegment(
    double start, double end, String text, Optional<String> speaker, Optional<String> language) {

  /** With neither speaker nor language. */
  public static TranscriptSegment of(double start, double end, String text) {
    return new TranscriptSegment(start, end, text, Optional.empty(), Optional.empty());
  }
}
