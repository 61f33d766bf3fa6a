package io.convoke.engine.wake;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets that know a question from a wait. After a notification the driver asks whether there is
 * another one by reading with a limit of one millisecond, and so hands each over a millisecond and
 * more after it came. A read with that limit looks at what is there and waits for nothing.
 *
 * <p>Public because the driver makes it by name.
 */
public final class LowLatencySocketFactory extends SocketFactory {
  private static final int ONLY_ASKS_MS = 1;

  @Override
  public Socket createSocket() {
    return new LowLatencySocket();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw unconnectedOnly();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    throw unconnectedOnly();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    throw unconnectedOnly();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    throw unconnectedOnly();
  }

  private static SocketException unconnectedOnly() {
    return new SocketException("the driver connects its sockets itself");
  }

  private static final class LowLatencySocket extends Socket {
    private volatile boolean onlyAsks;

    @Override
    public void setSoTimeout(int millis) throws SocketException {
      super.setSoTimeout(millis);
      onlyAsks = millis == ONLY_ASKS_MS;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read() throws IOException {
          ask();
          return in.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          ask();
          return in.read(bytes, offset, length);
        }

        private void ask() throws IOException {
          if (onlyAsks && in.available() == 0) {
            throw new SocketTimeoutException("nothing there");
          }
        }
      };
    }
  }
}
