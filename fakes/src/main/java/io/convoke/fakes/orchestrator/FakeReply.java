package io.convoke.fakes.orchestrator;

import java.util.Map;

/** The response to a request. */
public sealed interface FakeReply {
  /** A JSON document. */
  record JsonReply(int status, Map<String, String> headers, Object body) implements FakeReply {
    /** With status 200 and no headers. */
    public static JsonReply of(Object body) {
      return new JsonReply(200, Map.of(), body);
    }
  }

  /** Plain text. */
  record TextReply(String text) implements FakeReply {}

  /** JSON documents, one a line, until the feed returns. */
  record JsonLinesReply(LineFeed feed) implements FakeReply {}

  /** Writes lines until it ends or a write fails. */
  @FunctionalInterface
  interface LineFeed {
    /** Writes until it returns; a failed write ends it. */
    void write(LineSink lineSink) throws InterruptedException, java.io.IOException;
  }

  /** The sink of a feed. */
  @FunctionalInterface
  interface LineSink {
    /** Writes one document and flushes. */
    void write(Object document) throws java.io.IOException;
  }
}
