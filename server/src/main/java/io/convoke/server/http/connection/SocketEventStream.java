package io.convoke.server.http.connection;

import io.convoke.engine.json.Json;
import io.convoke.server.http.EventStream;
import io.helidon.webserver.ServerConnectionException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * An event stream over a response. Added events are buffered, up to {@value #MAX_BUFFER} bytes, and
 * flushed as one piece.
 */
public final class SocketEventStream implements EventStream {
  static final int MAX_BUFFER = 256 * 1024;

  private final OutputStream out;
  private final Duration check;
  private final Thread thread = Thread.currentThread();
  private final StringBuilder buffer = new StringBuilder();
  private final StreamCaller reader;
  private volatile boolean open = true;
  private volatile boolean ended;
  private boolean detached;
  private long askedNanos = System.nanoTime();

  public SocketEventStream(OutputStream out, Duration check, StreamCaller reader) {
    this.reader = reader;
    this.out = out;
    this.check = check;
  }

  /** Sends the reconnect delay, which also flushes the headers at once. */
  public void begin(Duration retry) {
    buffer.append("retry: ").append(retry.toMillis()).append("\n\n");
    flush();
    write(": open\n\n");
  }

  @Override
  public void send(String id, String type, Object data) {
    add(id, type, data);
    flush();
  }

  @Override
  public void add(String id, String type, Object data) {
    buffer
        .append("id: ")
        .append(oneLine(id))
        .append("\nevent: ")
        .append(oneLine(type))
        .append("\ndata: ")
        .append(Json.write(data))
        .append("\n\n");
    if (buffer.length() >= MAX_BUFFER) {
      flush();
    }
  }

  @Override
  public void flush() {
    if (!buffer.isEmpty()) {
      String text = buffer.toString();
      buffer.setLength(0);
      write(text);
    }
  }

  @Override
  public void heartbeat() {
    buffer.append(": heartbeat\n\n");
    flush();
  }

  @Override
  public boolean open() {
    if (open && System.nanoTime() - askedNanos > check.toNanos()) {
      askedNanos = System.nanoTime();
      open = reader.welcome().getAsBoolean();
    }
    return open;
  }

  StreamCaller reader() {
    return reader;
  }

  /**
   * The server is stopping, or the reader lost access: wakes the writer, which then sees that it is
   * no longer open. Does nothing once the writer has left, whose thread then serves others.
   */
  synchronized void end() {
    if (!detached) {
      open = false;
      ended = true;
      thread.interrupt();
    }
  }

  /** Whether this side ended it. */
  public boolean ended() {
    return ended;
  }

  /** The writer has left; its thread is not interrupted from here on. */
  public synchronized void detach() {
    detached = true;
  }

  /** Ends the answer, so that the client sees a whole one and comes back. */
  public void finish() {
    // The interrupt that woke the writer has done its work; the end of the stream can still be
    // sent.
    boolean _ = Thread.interrupted();
    timed(out::close);
  }

  private void write(String text) {
    if (!open && Thread.currentThread().isInterrupted()) {
      throw new StreamClosedException("the server is stopping");
    }
    timed(
        () -> {
          out.write(text.getBytes(StandardCharsets.UTF_8));
          out.flush();
        });
  }

  private void timed(SocketWork work) {
    try {
      work.run();
    } catch (IOException | UncheckedIOException | ServerConnectionException e) {
      open = false;
      throw new StreamClosedException(String.valueOf(e.getMessage()));
    }
  }

  private interface SocketWork {
    void run() throws IOException;
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }
}
