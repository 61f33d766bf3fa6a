package io.convoke.server.transcripts;

import java.util.Locale;

/** The formats of a transcript, by the name of their file extension. */
enum TranscriptFormat {
  JSON("application/json"),
  /** WebVTT: https://www.w3.org/TR/webvtt1/. */
  VTT("text/vtt; charset=utf-8"),
  /** SubRip, which has no standard; players agree on what is written here. */
  SRT("application/x-subrip; charset=utf-8"),
  TXT("text/plain; charset=utf-8"),
  /** CommonMark. */
  MD("text/markdown; charset=utf-8");

  private final String contentType;

  TranscriptFormat(String contentType) {
    this.contentType = contentType;
  }

  static TranscriptFormat of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  String contentType() {
    return contentType;
  }

  /** As in a query and at the end of a file name. */
  String extension() {
    return name().toLowerCase(Locale.ROOT);
  }
}
