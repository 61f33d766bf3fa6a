package io.convoke.client;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

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

  /** The number of a cue of SubRip: the line before its times. */
  private static final Pattern CUE_NUMBER = Pattern.compile("(?m)^[0-9]+(?=\n[0-9:,]+ --> )");

  String parameter() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** One document of pages, each of which the server made as a document of its own. */
  String joined(List<String> pages) {
    return switch (this) {
      case TXT -> String.join("", pages);
      // Each begins with a line that says what it is.
      case VTT, MD -> {
        StringBuilder text = new StringBuilder(pages.getFirst());
        pages.stream().skip(1).forEach(page -> text.append(page.substring(page.indexOf('\n') + 1)));
        yield text.toString();
      }
      // Each begins with cue 1.
      case SRT -> {
        AtomicInteger number = new AtomicInteger();
        yield CUE_NUMBER
            .matcher(String.join("", pages))
            .replaceAll(_ -> String.valueOf(number.incrementAndGet()));
      }
    };
  }
}
