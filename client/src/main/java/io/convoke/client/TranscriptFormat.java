package io.convoke.client;

import java.util.Locale;

/** The forms of a transcript as a document. */
public enum TranscriptFormat {
  /** WebVTT. */
  VTT,
  /** SubRip. */
  SRT,
  /** A line for each segment. */
  TXT,
  /** Markdown. */
  MD;

  String parameter() {
    return name().toLowerCase(Locale.ROOT);
  }
}
