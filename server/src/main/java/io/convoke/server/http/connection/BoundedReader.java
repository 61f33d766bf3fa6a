package io.convoke.server.http.connection;

import io.convoke.server.http.Problem;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;

/**
 * Reads a client's socket for the web server, with a bound of what waits there unread. The web
 * server takes each chunk of a body whole into memory, and the line before it, so that without this
 * bound any client could make it hold gigabytes. How long a body may be is up to {@link
 * BodyReader}. A client that leaves within a request is no error, and its connection is closed.
 */
final class BoundedReader {
  /** Bytes that may wait: the longest chunk of a body. */
  static final int UNREAD_MAX = 64 << 20;

  private final DataReader socket;
  private final DataReader reader = DataReader.create(this::pull);
  private int unread;

  private BoundedReader(DataReader socket) {
    this.socket = socket;
  }

  /** Reads on where this reader of a socket is; reading throws {@link Problem} 413 at the bound. */
  static DataReader of(DataReader socket) {
    return new BoundedReader(socket).reader;
  }

  private byte[] pull() {
    try {
      socket.ensureAvailable();
    } catch (DataReader.InsufficientDataAvailableException e) {
      throw new CloseConnectionException("the client has left", e);
    }
    byte[] bytes = socket.readBytes(socket.available());
    unread += bytes.length;
    if (unread > UNREAD_MAX) {
      // The sum still has what was taken meanwhile; counting anew each time would cost more.
      unread = reader.available() + bytes.length;
    }
    if (unread > UNREAD_MAX) {
      throw Problem.of(
              413, "too_large", "A chunk of the body is larger than " + UNREAD_MAX + " bytes.")
          .closingConnection();
    }
    return bytes;
  }
}
