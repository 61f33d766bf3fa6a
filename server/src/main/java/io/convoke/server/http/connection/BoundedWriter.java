package io.convoke.server.http.connection;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;

/**
 * Writes to a client's socket in pieces, each of which must be taken within the bound. The web
 * server itself writes an answer of any length in one call that waits for ever; writing in pieces
 * distinguishes a slow reader from one that takes no byte, and only the second one is disconnected.
 */
final class BoundedWriter implements DataWriter {
  /** Bytes of one piece: an answer that is no longer is handed on as it is. */
  static final int PIECE = 8 * 1024;

  private final DataWriter out;
  private final SocketTimeouts watch;
  private final Duration atMost;
  private final Optional<String> address;

  /**
   * @param address what a blocked write counts against; empty for proxies, which have many clients
   */
  BoundedWriter(DataWriter out, SocketTimeouts watch, Duration atMost, Optional<String> address) {
    this.out = out;
    this.watch = watch;
    this.atMost = atMost;
    this.address = address;
  }

  @Override
  public void write(BufferData... buffers) {
    writeNow(buffers);
  }

  @Override
  public void write(BufferData buffer) {
    writeNow(buffer);
  }

  @Override
  public void writeNow(BufferData... buffers) {
    for (BufferData buffer : buffers) {
      writeNow(buffer);
    }
  }

  @Override
  public void writeNow(BufferData buffer) {
    while (buffer.available() > PIECE) {
      byte[] piece = new byte[PIECE];
      int length = buffer.read(piece, 0, PIECE);
      bounded(BufferData.create(piece, 0, length));
    }
    if (buffer.available() > 0) {
      bounded(buffer);
    }
  }

  private void bounded(BufferData piece) {
    SocketTimeouts.WatchedWait watchedWait = watch.beginWrite(atMost, address);
    boolean inTime;
    try {
      out.writeNow(piece);
    } finally {
      inTime = watchedWait.end();
    }
    if (!inTime) {
      throw new UncheckedIOException(new SocketTimeoutException("the client does not read"));
    }
  }

  @Override
  public void flush() {
    out.flush();
  }

  @Override
  public void close() {
    out.close();
  }
}
