package io.convoke.fakes.transcribe;

/** A line that a fake returns; times in seconds. */
public record TranscriptLine(double start, double end, String text, String speaker) {
  /** A line of the only speaker. */
  public TranscriptLine(double start, double end, String text) {
    this(start, end, text, "");
  }
}
