package io.convoke.server.http;

import java.time.Duration;

/**
 * The writing side of one {@code text/event-stream} answer. Single-threaded: only the thread that
 * runs the {@link EventStreamWriter} uses it. A client that does not read is cut after a bounded
 * time, which shows here as {@link StreamClosedException}.
 */
public interface EventStream {
  /**
   * How often a quiet stream sends a comment, so that proxies keep it and a dead client is noticed.
   */
  Duration HEARTBEAT = Duration.ofSeconds(15);

  /** Writes one event; {@code data} is rendered as one line of JSON. */
  void send(String id, String type, Object data);

  /**
   * Buffers one event without flushing it; the next {@link #flush()} or {@link #send} writes both.
   */
  void add(String id, String type, Object data);

  /** Flushes added events. */
  void flush();

  /** Writes a comment line, invisible to the application on the other side. */
  void heartbeat();

  /**
   * False once the server is stopping, or the caller's credentials are no longer good; the writer
   * then returns, and the client connects anew, elsewhere or not at all.
   */
  boolean open();

  /**
   * The client disconnected, or was disconnected for not reading. Ends the writer; handlers need
   * not catch it.
   */
  final class StreamClosedException extends RuntimeException {
    /** With the reason, for the log. */
    public StreamClosedException(String reason) {
      super(reason, null, false, false);
    }
  }
}
