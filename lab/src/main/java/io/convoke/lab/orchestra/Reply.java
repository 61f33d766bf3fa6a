package io.convoke.lab.orchestra;

import java.util.Map;

/** What goes back. */
public sealed interface Reply {
  /** A JSON document. */
  record Json(int status, Map<String, String> headers, Object body) implements Reply {
    /** With status 200 and no headers. */
    public static Json of(Object body) {
      return new Json(200, Map.of(), body);
    }
  }

  /** Plain text. */
  record Text(String text) implements Reply {}

  /** JSON documents, one a line, until the feed returns. */
  record Lines(Feed feed) implements Reply {}

  /** Writes lines while it likes. */
  @FunctionalInterface
  interface Feed {
    /** Writes until it has nothing more to say; a line that cannot be written ends it. */
    void write(Line line) throws InterruptedException, java.io.IOException;
  }

  /** Where a feed writes. */
  @FunctionalInterface
  interface Line {
    /** Writes one document and flushes. */
    void write(Object document) throws java.io.IOException;
  }
}
