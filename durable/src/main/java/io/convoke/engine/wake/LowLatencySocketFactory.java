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
 * Sockets whose reads with a timeout of one millisecond do not block. After a notification the
 * driver checks for another one by such a read, which would delay each notification by a
 * millisecond or more; here it returns the bytes that have arrived.
 *
 * <p>Public because the driver instantiates it by name.
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
